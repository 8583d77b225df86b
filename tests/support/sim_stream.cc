#include "support/sim_stream.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <string>
#include <utility>

namespace mcsteady::test {

namespace {

// As a fair readiness loop would have it: others are to get their turn.
constexpr int kReceivesMax = 16;
constexpr std::size_t kPiecesMax = 64;

}  // namespace

class SimStream::InCallback {
 public:
  explicit InCallback(SimStream& stream) : stream_(stream) { ++stream_.callbacks_; }
  ~InCallback() { --stream_.callbacks_; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;

 private:
  SimStream& stream_;
};

SimStream::SimStream(SimLoop& loop, SimConnection& connection, Side side, Handler& handler)
    : loop_(loop),
      connection_(&connection),
      id_(connection.id()),
      side_(side),
      handler_(handler),
      connecting_(side == Side::Client) {
  loop_.streams_.push_back(this);
}

SimStream::~SimStream() {
  assert(callbacks_ == 0 && "a stream is not destroyed inside a callback of its own");
  close();
  std::erase(loop_.streams_, this);
  std::ranges::replace(loop_.ready_, this, nullptr);
}

void SimStream::flush() {
  if (connection_ == nullptr) return;
  if (connecting_ || waits_for_room_) {
    wants_to_send_ = true;
  } else {
    loop_.at_turn_end(flush_);
  }
}

void SimStream::flush_later() {
  if (loop_.rng_.chance(loop_.conditions_.sends_later)) return loop_.in_next_turn(flush_later_);
  flush();
}

bool SimStream::was_reset() const {
  return connection_->incoming(side_).end() == LinkEnd::Reset;
}

bool SimStream::found_the_end() const {
  const LinkEnd end = connection_->incoming(side_).end();
  return end == LinkEnd::Reset || (end == LinkEnd::Fin && !ended_);
}

bool SimStream::can_receive() const {
  return connection_ != nullptr && !connecting_ && receiving_ && !ended_;
}

bool SimStream::is_ready() const {
  if (connection_ == nullptr) return false;
  if (connecting_) return connection_->settled(loop_.now());
  const bool readable = !connection_->incoming(side_).unread().empty() || found_the_end();
  const bool writable = connection_->outgoing(side_).room() > 0 || was_reset();
  return (can_receive() && readable) || (waits_for_room_ && writable);
}

void SimStream::run_ready() {
  if (connection_ == nullptr) return;
  if (connecting_) return settle_connect();
  if (can_receive()) receive(kReceivesMax);
  if (connection_ != nullptr && std::exchange(waits_for_room_, false)) send_pieces();
}

void SimStream::settle_connect() {
  if (!connection_->settled(loop_.now())) return;
  connecting_ = false;
  if (connection_->phase() == SimConnection::Phase::Failed) {
    return break_off(connection_->failure());
  }
  loop_.network().note('e', id_);
  if (std::exchange(wants_to_send_, false)) flush();
  const InCallback guard(*this);
  handler_.on_connected();
}

net::Stream::Found SimStream::look() {
  if (connection_ != nullptr && connecting_) settle_connect();
  if (connection_ == nullptr) return Found::Broken;
  if (ended_) return Found::EndOfFile;
  if (!can_receive()) return Found::Nothing;
  ++calls_.polls;
  ++loop_.calls_.polls;
  const bool there = !connection_->incoming(side_).unread().empty() || found_the_end();
  bool missed = loop_.rng_.chance(loop_.conditions_.poll_misses);
  if (polls_to_miss_ > 0) {
    --polls_to_miss_;
    missed = true;
  }
  loop_.network().note('l', id_, there && missed ? "missed" : "");
  return receive(there && !missed ? kReceivesMax : 1);
}

net::Stream::Found SimStream::receive(int receives_max) {
  Found found = Found::Nothing;
  for (int i = 0; i < receives_max && connection_ != nullptr; ++i) {
    if (i > 0 && !receiving_) break;  // a callback turned it off
    std::size_t asked = 0;
    const std::size_t count = receive_once(asked);
    if (count == 0) {
      const Found end = receive_end();
      return found == Found::Nothing ? end : found;
    }
    found = Found::Bytes;
    if (count < asked) break;  // the end of what was there
  }
  return found;
}

std::size_t SimStream::receive_once(std::size_t& asked) {
  const InCallback guard(*this);
  std::span<char> room = handler_.room();
  if (connection_ == nullptr) return 0;  // closed by room()
  assert(!room.empty() && "room() is never empty");
  asked = room.size();
  rooms_.push_back(asked);
  ++calls_.receives;
  ++loop_.calls_.receives;
  SimLink& link = connection_->incoming(side_);
  std::size_t wanted = std::min(asked, link.unread().size());
  if (wanted > 1 && loop_.rng_.chance(loop_.conditions_.short_receives)) {
    wanted = loop_.rng_.between(1, wanted - 1);
  }
  const std::size_t count = link.receive(room.first(wanted));
  loop_.network().note('r', id_, {room.data(), count});
  if (count > 0) handler_.on_received(count);
  return count;
}

net::Stream::Found SimStream::receive_end() {
  if (connection_ == nullptr) return Found::Nothing;  // room() closed it
  if (was_reset()) {
    break_off({net::StreamError::Reset, ECONNRESET});
    return Found::Broken;
  }
  if (!found_the_end()) return Found::Nothing;
  ended_ = true;
  loop_.network().note('f', id_);
  const InCallback guard(*this);
  handler_.on_end_of_file();
  return Found::EndOfFile;
}

void SimStream::send_pieces() {
  if (connection_ == nullptr) return;
  while (send_once()) {
  }
}

bool SimStream::send_once() {
  const InCallback guard(*this);
  std::array<iovec, kPiecesMax> pieces{};
  const std::size_t count = handler_.pieces(pieces);
  if (count == 0 || connection_ == nullptr) return false;
  std::string bytes;
  for (const iovec& piece : std::span(pieces).first(count)) {
    bytes.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
  }
  ++calls_.sends;
  ++loop_.calls_.sends;
  if (was_reset()) {
    break_off({net::StreamError::SendFailed, ended_ ? EPIPE : ECONNRESET});
    return false;
  }
  const std::size_t sent = connection_->outgoing(side_).send(bytes, loop_.now());
  loop_.network().note('s', id_, std::string_view(bytes).substr(0, sent));
  waits_for_room_ = sent < bytes.size();
  if (sent > 0) handler_.on_sent(sent);
  return connection_ != nullptr && !waits_for_room_;
}

void SimStream::break_off(net::Breakage breakage) {
  loop_.network().note('b', id_);
  close();
  const InCallback guard(*this);
  handler_.on_broken(breakage);
}

net::TransportEvidence SimStream::evidence() const {
  if (connection_ == nullptr) return {};
  return connection_->evidence(side_, loop_.now());
}

void SimStream::close() {
  if (connection_ == nullptr) return;
  loop_.network().note('x', id_);
  std::exchange(connection_, nullptr)->close(side_, loop_.now());
}

void SimStream::close_with(std::span<const char> last) {
  if (connection_ != nullptr && !last.empty()) {
    connection_->outgoing(side_).send({last.data(), last.size()}, loop_.now());
  }
  close();
}

void SimStream::close_gently(std::span<const char> last) {
  if (connection_ == nullptr) return;
  connection_->incoming(side_).discard_unread();  // else closing would be a reset
  close_with(last);
}

void SimStream::finish_sending() {
  if (connection_ == nullptr) return;
  loop_.network().note('h', id_);
  connection_->outgoing(side_).finish(LinkEnd::Fin, loop_.now());
}

void SimStream::reset() {
  if (connection_ == nullptr) return;
  loop_.network().note('X', id_);
  std::exchange(connection_, nullptr)->reset(side_, loop_.now());
}

}  // namespace mcsteady::test
