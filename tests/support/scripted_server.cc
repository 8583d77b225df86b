#include "support/scripted_server.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "support/scripted_connection.h"

namespace mcsteady::test {

ServerAct ServerAct::answer_after(Duration delay) {
  ServerAct act;
  act.delay = delay;
  return act;
}

ServerAct ServerAct::never_answer() {
  ServerAct act;
  act.hang = true;
  return act;
}

ServerAct ServerAct::answer_with(std::string reply) {
  ServerAct act;
  act.reply = std::move(reply);
  return act;
}

ServerAct ServerAct::break_off_after(std::size_t bytes, End end) {
  ServerAct act;
  act.cut = bytes;
  act.end = end;
  return act;
}

ServerAct ServerAct::close_without_answer() {
  return break_off_after(0, End::Close);
}

ServerAct ServerAct::reset_without_answer() {
  return break_off_after(0, End::Reset);
}

ScriptedServer::ScriptedServer(net::EventLoop& loop, const net::Endpoint& at, net::TlsServer* tls)
    : loop_(loop), endpoint_(at) {
  if (tls != nullptr) tls_ = std::make_unique<net::TlsAcceptor>(loop, *tls);
  start();
}

ScriptedServer::~ScriptedServer() = default;

net::Address ScriptedServer::address() const {
  return numeric_address(endpoint_).value();
}

void ScriptedServer::start() {
  auto listener = loop_.listen({.endpoint = endpoint_}, *this);
  assert(listener && "the scripted server's place is taken");
  listener_ = *std::move(listener);
  endpoint_ = listener_->endpoint();
}

void ScriptedServer::stop() {
  listener_.reset();
  close_connections();
  items_.clear();
}

void ScriptedServer::on_accepted(std::unique_ptr<net::AcceptedSocket> socket) {
  forget_closed();
  ++accepted_;
  connections_.push_back(std::make_unique<ScriptedConnection>(*this, *socket, tls_.get()));
  connections_.back()->set_receiving(receiving_);
}

void ScriptedServer::forget_closed() {
  std::erase_if(connections_, [](const auto& connection) { return connection->is_closed(); });
}

ServerAct ScriptedServer::act_for(const MemcachedCommand& command) {
  if (!next_.empty()) {
    ServerAct act = std::move(next_.front());
    next_.pop_front();
    return act;
  }
  return script_ ? script_(command) : ServerAct{};
}

void ScriptedServer::send_stray(std::string_view bytes) {
  for (const auto& connection : connections_) connection->send(bytes);
}

void ScriptedServer::close_connections() {
  for (const auto& connection : connections_) connection->close();
}

void ScriptedServer::set_receiving(bool on) {
  receiving_ = on;
  for (const auto& connection : connections_) {
    if (!connection->is_closed()) connection->set_receiving(on);
  }
}

std::size_t ScriptedServer::count(std::string_view verb) const {
  return static_cast<std::size_t>(std::ranges::count_if(requests_, [verb](const std::string& line) {
    return line.substr(0, line.find(' ')) == verb;
  }));
}

std::size_t ScriptedServer::connections() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      connections_, [](const auto& connection) { return !connection->is_closed(); }));
}

}  // namespace mcsteady::test
