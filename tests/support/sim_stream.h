#pragma once

#include <cstddef>
#include <vector>

#include "mcsteady/net/stream.h"
#include "support/sim_connection.h"
#include "support/sim_loop.h"

namespace mcsteady::test {

/// One end of a simulated connection, as a readiness-driven stream would be. It asserts the rules
/// of net::Stream that can be seen from here: room is never empty, and nobody destroys it inside a
/// callback of its own.
class SimStream final : public net::Stream {
 public:
  SimStream(SimLoop& loop, SimConnection& connection, Side side, Handler& handler);
  ~SimStream() override;

  // net::Stream
  void set_receiving(bool on) override { receiving_ = on; }
  void flush() override;
  void flush_later() override;
  Found look() override;
  net::TransportEvidence evidence() const override;
  void close() override;
  void close_with(std::span<const char> last) override;
  void close_gently(std::span<const char> last) override;

  // For tests.
  /// The next `count` looks poll in vain, whatever is there.
  void miss_polls(int count) { polls_to_miss_ = count; }
  const SocketCalls& calls() const { return calls_; }
  const std::vector<std::size_t>& rooms() const { return rooms_; }  // each room asked, in bytes
  std::uint64_t connection_id() const { return id_; }
  /// As shutdown(SHUT_WR): a FIN behind what was sent; what comes is still received.
  void finish_sending();
  /// Closes with an RST, whatever has been read.
  void reset();

  // For the loop.
  bool is_ready() const;
  bool can_receive() const;
  void run_ready();

 private:
  class Flush final : public net::Task {
   public:
    explicit Flush(SimStream& stream) : stream_(stream) {}
    void run() override { stream_.send_pieces(); }

   private:
    SimStream& stream_;
  };
  class FlushLater final : public net::Task {
   public:
    explicit FlushLater(SimStream& stream) : stream_(stream) {}
    void run() override { stream_.flush_later(); }

   private:
    SimStream& stream_;
  };
  class InCallback;

  bool was_reset() const;
  bool found_the_end() const;
  void settle_connect();
  Found receive(int receives_max);
  std::size_t receive_once(std::size_t& asked);
  Found receive_end();
  void send_pieces();
  bool send_once();
  void break_off(net::Breakage breakage);

  SimLoop& loop_;
  SimConnection* connection_;  // null once closed or broken
  std::uint64_t id_;
  Side side_;
  Handler& handler_;
  Flush flush_{*this};
  FlushLater flush_later_{*this};
  SocketCalls calls_;
  std::vector<std::size_t> rooms_;
  int polls_to_miss_ = 0;
  int callbacks_ = 0;  // how deep in callbacks of ours
  bool connecting_;
  bool receiving_ = true;
  bool ended_ = false;           // end of file was reported
  bool wants_to_send_ = false;   // flush() came before the connection did
  bool waits_for_room_ = false;  // the socket buffer was full
};

}  // namespace mcsteady::test
