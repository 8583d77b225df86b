#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/base/clock.h"
#include "mcsteady/net/event_loop.h"
#include "support/fake_clock.h"
#include "support/rng.h"
#include "support/sim_connection.h"

namespace mcsteady::test {

class SimListener;
class SimLoop;

/// A world: one time, the loops that live in it (each as if it had a thread of its own), and the
/// network between them. Everything that is not fixed comes from the seed: the same seed gives the
/// same run, byte for byte. Outlives its loops. Thread: one.
///
/// A test gives every party a loop of its own, since a loop that is stalled stalls all its streams:
///
///   SimNetwork network(seed);
///   SimLoop server_side(network), proxy(network), client_side(network);
class SimNetwork {
 public:
  explicit SimNetwork(std::uint64_t seed);
  ~SimNetwork();
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  std::uint64_t seed() const { return rng_.seed(); }
  Rng& rng() { return rng_; }
  const FakeClock& clock() const { return clock_; }
  TimePoint now() const { return clock_.now(); }

  // What the network is like. Applies to connections made from then on.
  void set_conditions(const PathConditions& everywhere) { everywhere_ = everywhere; }
  void set_conditions(const net::Endpoint& to, const PathConditions& there);
  // What happens to it. Applies to connections that exist, and to the later ones too.
  /// On: every packet to and from that place is lost. Off: what was lost is sent again and arrives.
  void hold(const net::Endpoint& place, bool on);
  /// Every connection to that place is reset, as a host that loses power and is back does.
  void reset_all(const net::Endpoint& place);
  std::size_t connections_to(const net::Endpoint& place) const;
  std::uint64_t connects_made() const { return connects_made_; }

  // Time.
  using Condition = std::function<bool()>;
  /// Runs every loop that is not inside a turn, until `limit` has come or `condition` holds, which
  /// is asked after each turn. False: the limit came first.
  bool run_until(TimePoint limit, const Condition& condition);
  /// Until no bytes travel, no connect is under way, and no loop has anything to do. Timers that
  /// become due meanwhile run, but none is waited for.
  void run_until_idle();

  /// A fold of all that has happened, with its times: equal for equal runs.
  std::uint64_t transcript() const { return transcript_; }
  void note(std::uint64_t what, std::uint64_t who, std::string_view bytes = {});

 private:
  friend class SimLoop;
  friend class SimListener;
  friend class SimStream;
  friend class SimAcceptedSocket;

  // For the loops, listeners and streams.
  void add(SimLoop& loop) { loops_.push_back(&loop); }
  void remove(SimLoop& loop);
  SimConnection& connect(const net::Address& to);
  /// Gives the port where 0 is asked for; fails where the place is taken.
  Result<net::Endpoint, std::string> bind(const net::ListenOptions& options, SimListener& listener);
  void unbind(SimListener& listener);

  void arrive();
  void arrive_syn(SimConnection& connection);
  SimListener* find_listener(const SimConnection& connection);
  bool run_turns(const Condition& condition);
  std::optional<TimePoint> next_happening(bool with_timers) const;
  void forget_what_is_over();

  FakeClock clock_;
  Rng rng_;
  PathConditions everywhere_;
  std::map<std::string, PathConditions> conditions_;
  std::map<std::string, bool> held_;
  std::multimap<std::string, SimListener*> listeners_;
  std::vector<std::unique_ptr<SimConnection>> connections_;
  std::vector<SimLoop*> loops_;
  std::uint64_t connects_made_ = 0;
  std::uint64_t transcript_ = 0xcbf29ce484222325ULL;
  std::uint16_t next_port_ = 40000;
  int depth_ = 0;  // of run_until() inside turns
};

}  // namespace mcsteady::test
