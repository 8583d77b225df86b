#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "support/rng.h"
#include "support/sim_network.h"

namespace mcsteady::test {

class SimStream;
class SimTimer;

/// What one loop's turns are like. Every chance is drawn from the network's seed.
struct LoopConditions {
  /// Of a turn: due timers run before what was found ready, as a loop does that runs timers
  /// straight after its poll; else after it, and then those too that became due meanwhile, as a
  /// reactor does that asks for the time only once the ready callbacks are done. In both, bytes
  /// that arrived during the turn are not seen before the timers have run.
  double timers_first = 0.5;
  /// The host wakes the loop up to so much later than something is ready: more is ready at once.
  Duration wake_delay_max{0};
  double poll_misses = 0;     // of a look(): its zero-timeout poll does not show what is there
  double short_receives = 0;  // of a receive: gives less than what is there and would fit
  double spurious_ready = 0;  // of a turn: a stream is called ready that has nothing
  double sends_later = 0;     // of a flush_later(), and of each turn after it: it waits for another
};

/// What the loop's streams would have asked of the kernel.
struct SocketCalls {
  std::uint64_t receives = 0;
  std::uint64_t sends = 0;
  std::uint64_t polls = 0;  // zero-timeout polls of look()
};

/// An event loop on simulated time. Turns: what was posted, the tasks of in_next_turn(), then due
/// timers and ready streams in an order that the seed decides, then the tasks of at_turn_end().
/// A turn takes no time, except for what stall() takes. Thread: the simulation's only one.
class SimLoop final : public net::EventLoop {
 public:
  explicit SimLoop(SimNetwork& network, const LoopConditions& conditions = {});
  ~SimLoop() override;

  // net::EventLoop
  TimePoint now() const override { return network_.now(); }
  std::unique_ptr<net::Timer> make_timer(net::TimerCallback callback) override;
  std::unique_ptr<net::Stream> connect(const net::Address& to,
                                       net::Stream::Handler& handler) override;
  Result<std::unique_ptr<net::Listener>, std::string> listen(
      const net::ListenOptions& options, net::Listener::Handler& handler) override;
  void at_turn_end(net::Task& task) override { turn_end_.add(task); }
  void in_next_turn(net::Task& task) override { next_turn_.add(task); }
  void post(std::function<void()> work) override { posted_.push_back(std::move(work)); }
  void run() override;
  void stop() override { stopped_ = true; }

  // The test's hand on time. All loops of the network run, this one among them.
  void run_for(Duration duration);
  /// Asked after every turn of any loop. False: `limit` (from now) came first.
  bool run_until(const std::function<bool()>& condition, Duration limit);
  void run_until_idle() { network_.run_until_idle(); }
  /// The thread is held (stopped, throttled, or busy in a callback when called from one): time
  /// passes and the rest of the network goes on, bytes arrive in this loop's sockets, its timers
  /// become overdue, and nobody looks.
  void stall(Duration duration);
  void set_conditions(const LoopConditions& conditions) { conditions_ = conditions; }

  /// Who those that connect from now on say they are, as over a unix socket.
  void set_peer(std::optional<net::Peer> peer) { peer_ = std::move(peer); }
  const std::optional<net::Peer>& peer() const { return peer_; }

  SimNetwork& network() { return network_; }
  const std::vector<SimStream*>& streams() const { return streams_; }  // alive, oldest first
  const SocketCalls& calls() const { return calls_; }  // of all its streams, since it was made
  std::uint64_t turns() const { return turns_; }

  // For the network.
  bool in_turn() const { return in_turn_; }
  bool turn_is_due();
  std::optional<TimePoint> next_turn_at(bool with_timers) const;
  void run_turn();

 private:
  friend class SimListener;
  friend class SimStream;
  friend class SimTimer;
  using TimerKey = std::pair<TimePoint, std::uint64_t>;

  bool has_work() const;
  void run_posted();
  void run_timers();
  void run_ready();
  void poll();

  SimNetwork& network_;
  std::optional<net::Peer> peer_;
  LoopConditions conditions_;
  Rng rng_;
  std::map<TimerKey, SimTimer*> timers_;
  std::uint64_t timers_set_ = 0;  // equal due times run in the order in which they were set
  std::vector<SimStream*> streams_;
  std::vector<SimListener*> listeners_;
  std::vector<SimStream*> ready_;  // of this turn; null: gone meanwhile
  std::vector<std::function<void()>> posted_;
  net::TaskList next_turn_;
  net::TaskList turn_end_;
  std::optional<TimePoint> wakes_at_;
  SocketCalls calls_;
  std::uint64_t turns_ = 0;
  bool in_turn_ = false;
  bool stopped_ = false;
};

}  // namespace mcsteady::test
