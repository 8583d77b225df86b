#include "support/scripted_connection.h"

#include <algorithm>
#include <utility>

#include "support/sim_stream.h"

namespace mcsteady::test {

namespace {

std::vector<std::string> cut_words(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    if (blank > 0) words.emplace_back(line.substr(0, blank));
    line.remove_prefix(std::min(blank + 1, line.size()));
  }
  return words;
}

}  // namespace

ScriptedConnection::ScriptedConnection(ScriptedServer& server, net::AcceptedSocket& socket,
                                       net::TlsAcceptor* tls)
    : server_(server),
      timer_(server.loop_.make_timer([this](TimePoint) { run_steps(); })),
      stream_(tls != nullptr ? tls->start(socket, *this) : socket.start(*this)) {}

void ScriptedConnection::send(std::string_view bytes) {
  if (closed_) return;
  output_.append(bytes);
  stream_->flush();
}

void ScriptedConnection::close() {
  if (std::exchange(closed_, true)) return;
  timer_->clear();
  stream_->close();
}

void ScriptedConnection::on_received(std::size_t count) {
  input_.append(buffer_.data(), count);
  while (!closed_ && take_command()) {
  }
  if (!closed_) run_steps();
}

bool ScriptedConnection::take_command() {
  const std::size_t before = input_.size();
  const auto command = cut_command();
  if (!command) return input_.size() != before;  // a refused line was taken off
  server_.requests_.push_back(command->line);
  if (command->words[0] == "quit") {
    close();
  } else {
    answer(*command);
  }
  return true;
}

std::optional<MemcachedCommand> ScriptedConnection::cut_command() {
  const std::size_t line_end = input_.find('\n');
  if (line_end == std::string::npos) return std::nullopt;
  std::string line = input_.substr(0, line_end);
  if (line.ends_with('\r')) line.pop_back();
  MemcachedCommand command{.line = line, .words = cut_words(line)};
  if (command.words.empty()) command.words.emplace_back("");
  const auto body_size = MemcachedModel::body_size(command.words);
  if (body_size == SIZE_MAX) {
    refuse(line_end + 1, "CLIENT_ERROR bad command line format\r\n");
    return std::nullopt;
  }
  const std::size_t body_at = line_end + 1;
  if (body_size) {
    if (input_.size() < body_at + *body_size + 2) return std::nullopt;
    command.body = input_.substr(body_at, *body_size);
    if (input_.compare(body_at + *body_size, 2, "\r\n") != 0) {
      refuse(body_at + *body_size + 2, "CLIENT_ERROR bad data chunk\r\n");
      return std::nullopt;
    }
  }
  input_.erase(0, body_size ? body_at + *body_size + 2 : body_at);
  return command;
}

/// Drops the first `size` bytes, a line and maybe its body.
void ScriptedConnection::refuse(std::size_t size, const std::string& reply) {
  server_.requests_.push_back(input_.substr(0, input_.find('\n')));
  input_.erase(0, size);
  plan({}, reply);
}

void ScriptedConnection::answer(const MemcachedCommand& command) {
  const ServerAct act = server_.act_for(command);
  std::string reply = server_.items_.execute(command, server_.loop_.now());
  if (act.reply) reply = *act.reply;
  if (act.hang) hangs_ = true;
  if (!hangs_) plan(act, std::move(reply));
}

void ScriptedConnection::plan(const ServerAct& act, std::string reply) {
  free_at_ = std::max(free_at_, server_.loop_.now()) + act.delay;
  reply.resize(std::min(reply.size(), act.cut.value_or(reply.size())));
  if (act.pause_in_the_middle > Duration{0}) {
    const std::size_t half = reply.size() / 2;
    steps_.push_back({.at = free_at_, .bytes = act.stray + reply.substr(0, half)});
    free_at_ += act.pause_in_the_middle;
    steps_.push_back({.at = free_at_, .bytes = reply.substr(half), .end = act.end});
  } else {
    steps_.push_back({.at = free_at_, .bytes = act.stray + reply, .end = act.end});
  }
}

void ScriptedConnection::run_steps() {
  while (!steps_.empty() && steps_.front().at <= server_.loop_.now()) {
    const Step step = std::move(steps_.front());
    steps_.pop_front();
    send(step.bytes);
    if (step.end == ServerAct::End::None) continue;
    hangs_ = true;  // what is behind it is not answered
    steps_.clear();
    end_ = step.end;
    if (output_.empty()) end(end_);
    return;
  }
  if (!steps_.empty()) timer_->set(steps_.front().at);
}

void ScriptedConnection::end(ServerAct::End how) {
  auto* simulated = dynamic_cast<SimStream*>(stream_.get());
  if (how == ServerAct::End::Reset && simulated != nullptr) simulated->reset();
  close();
}

std::size_t ScriptedConnection::pieces(std::span<iovec> out) {
  if (output_.empty()) return 0;
  out[0] = {output_.data(), output_.size()};
  return 1;
}

void ScriptedConnection::on_sent(std::size_t count) {
  output_.erase(0, count);
  if (output_.empty() && end_ != ServerAct::End::None) end(end_);
}

}  // namespace mcsteady::test
