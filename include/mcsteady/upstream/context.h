#pragma once

#include <memory>

#include "mcsteady/metrics/histogram.h"
#include "mcsteady/net/block.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/upstream/exchange.h"
#include "mcsteady/upstream/stall_watch.h"

namespace mcsteady::upstream {

/// The worker's heartbeat: beats while replies are owed, so that a stall anywhere in a wait is
/// known when the wait runs out, not only one that made the wait's own timer late. A stall is seen
/// but for the part of it before the next beat was due. Costs a timer every 5 ms, and nothing when
/// idle. Thread: its worker's.
class StallBeat {
 public:
  static constexpr Duration kInterval = std::chrono::milliseconds(5);

  StallBeat(net::EventLoop& loop, const ExchangePool& exchanges, metrics::Histogram& loop_lag);
  /// Something is owed: see that it beats. Cheap to repeat.
  void wake() {
    if (!timer_->is_set()) start();
  }
  const StallWatch& watch() const { return watch_; }

 private:
  void start();
  void on_due(TimePoint due);

  net::EventLoop& loop_;
  const ExchangePool& exchanges_;
  metrics::Histogram& loop_lag_;
  StallWatch watch_;
  std::unique_ptr<net::Timer> timer_;
};

/// What a worker lends to everything that talks to servers. Outlives it all.
struct Context {
  net::EventLoop& loop;
  net::BlockPool& blocks;
  ExchangePool& exchanges;
  StallBeat& beat;
};

}  // namespace mcsteady::upstream
