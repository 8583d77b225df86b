#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "bench/items.h"
#include "bench/load_client.h"
#include "mcsteady/net/address.h"

namespace mcsteady::bench {

struct LoadOptions {
  std::size_t clients = 1;
  std::size_t depth = 1;   // requests that a client has in flight, at most
  double get_share = 1.0;  // of the operations; the rest are sets
  std::uint64_t compare_every = 16;
  std::uint32_t seed = 1;
};

/// What is asked in one go: until one of the limits is reached, and then until all is answered.
struct Phase {
  std::optional<Duration> duration;
  std::optional<std::uint64_t> operations;
  /// Open loop: operations a second, all clients together, each due at its own time whether the
  /// ones before it were answered or not. 0: closed loop, each reply brings the next request.
  double rate = 0;
  bool fill = false;  // sets every key, once and in order
};

struct Outcome {
  double seconds = 0;               // from the first request to the last reply
  std::vector<Duration> latencies;  // of every operation, unordered
};

/// Puts load on one address from many connections, in one thread. Latency counts from when a
/// request was due: in closed loop that is when it was made, in open loop its place in the plan, so
/// that a stall is charged to every request that would have been sent during it.
class Load {
 public:
  Load(const LoadOptions& options, const Items& items, const net::Address& to);

  Outcome run(const Phase& phase);
  const CheckCounts& counts() const { return counts_; }

 private:
  bool may_issue(TimePoint now) const;
  void issue_due(TimePoint now);
  void refill(LoadClient& client, TimePoint now);
  void issue(LoadClient& client, TimePoint due);
  void send(LoadClient& client);
  void wait_and_serve();
  void receive(LoadClient& client);
  std::optional<Duration> until_next_due(TimePoint now) const;
  bool is_over(TimePoint now) const;

  const LoadOptions options_;
  const Items& items_;
  Epoll epoll_;
  CheckCounts counts_;
  std::vector<std::unique_ptr<LoadClient>> clients_;
  std::vector<char> buffer_;
  std::vector<TimePoint> ended_;
  std::minstd_rand random_;

  // Of the phase that runs.
  Phase phase_;
  Outcome outcome_;
  TimePoint started_;
  TimePoint last_reply_;
  std::uint64_t issued_ = 0;
  std::uint64_t planned_ = 0;  // open loop: operations whose time has come
};

}  // namespace mcsteady::bench
