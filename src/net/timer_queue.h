#pragma once

#include <map>
#include <memory>
#include <optional>

#include "mcsteady/base/clock.h"
#include "mcsteady/net/event_loop.h"

namespace mcsteady::net {

/// The timers of a loop, in the order in which they need to be woken. Has a clock and no other I/O:
/// whoever runs it wakes it at earliest().
///
/// Setting a timer is on the hot path (every wait for a server's reply does), firing is not. So a
/// timer that is set to a later time, or cleared, stays where it is in the queue; when its old time
/// comes it moves to the new one. In the steady state set() compares two times and stores one.
///
/// Outlives its timers.
class TimerQueue {
 public:
  explicit TimerQueue(const Clock& clock) : clock_(clock) {}
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  std::unique_ptr<Timer> make_timer(TimerCallback callback);
  /// When to call run_due() next; unset: not before some timer is set.
  std::optional<TimePoint> earliest() const;
  /// Calls back every timer that is due, and none early. One that is set in a callback waits for
  /// the next call, however early it is due.
  void run_due();

 private:
  class Entry;
  using Queue = std::multimap<TimePoint, Entry*>;  // by the time to wake, not by the due time

  const Clock& clock_;
  Queue queue_;
  std::optional<TimePoint> running_;  // run_due() is at work on what is due by then
};

}  // namespace mcsteady::net
