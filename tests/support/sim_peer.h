#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "support/sim_loop.h"
#include "support/sim_stream.h"

namespace mcsteady::test {

/// The far end of a connection, played by a test: it says what is sent and keeps what came. Stands
/// on any loop; with a SimLoop, it is a scripted client or a scripted server without a protocol.
class SimPeer final : public net::Stream::Handler {
 public:
  SimPeer(SimLoop& loop, const net::Address& connect_to)
      : stream_(loop.connect(connect_to, *this)) {}
  explicit SimPeer(net::AcceptedSocket& accepted) : stream_(accepted.start(*this)) {
    connected_ = true;
  }

  void send(std::string_view bytes) {
    unsent_.append(bytes);
    stream_->flush();
  }
  void set_receiving(bool on) { stream_->set_receiving(on); }
  /// Will send no more than what it has been given; goes on receiving.
  void finish_sending() {
    finishes_ = true;
    if (unsent_.empty()) stream().finish_sending();
  }
  /// Drops what has not been sent.
  void close() { stream_->close(); }
  void reset() { static_cast<SimStream&>(*stream_).reset(); }

  const std::string& received() const { return received_; }
  std::string take_received() { return std::exchange(received_, {}); }
  std::size_t unsent() const { return unsent_.size(); }
  bool connected() const { return connected_; }
  bool ended() const { return ended_; }
  const std::optional<net::Breakage>& broken() const { return broken_; }
  bool is_over() const { return ended_ || broken_.has_value(); }
  SimStream& stream() { return static_cast<SimStream&>(*stream_); }

  // net::Stream::Handler
  void on_connected() override { connected_ = true; }
  std::span<char> room() override { return buffer_; }
  void on_received(std::size_t count) override { received_.append(buffer_.data(), count); }
  void on_end_of_file() override { ended_ = true; }
  std::size_t pieces(std::span<iovec> out) override {
    if (unsent_.empty()) return 0;
    out[0] = {unsent_.data(), unsent_.size()};
    return 1;
  }
  void on_sent(std::size_t count) override {
    unsent_.erase(0, count);
    if (finishes_ && unsent_.empty()) stream().finish_sending();
  }
  void on_broken(net::Breakage breakage) override { broken_ = breakage; }

 private:
  std::array<char, 16384> buffer_{};
  std::string received_;
  std::string unsent_;
  std::optional<net::Breakage> broken_;
  bool connected_ = false;
  bool ended_ = false;
  bool finishes_ = false;
  std::unique_ptr<net::Stream> stream_;
};

/// Accepts connections as SimPeers, in the order in which they came.
class SimPeerListener final : public net::Listener::Handler {
 public:
  SimPeerListener(SimLoop& loop, const net::Endpoint& at)
      : listener_(loop.listen({.endpoint = at}, *this).value()) {}

  void on_accepted(std::unique_ptr<net::AcceptedSocket> socket) override {
    peers_.push_back(std::make_unique<SimPeer>(*socket));
  }
  net::Endpoint endpoint() const { return listener_->endpoint(); }
  net::Listener& listener() { return *listener_; }
  std::size_t size() const { return peers_.size(); }
  SimPeer& operator[](std::size_t i) { return *peers_[i]; }

 private:
  std::vector<std::unique_ptr<SimPeer>> peers_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace mcsteady::test
