#pragma once

#include <array>
#include <cstddef>

#include "mcsteady/base/clock.h"

namespace mcsteady::upstream {

/// Remembers the last times in which this thread did not look at anything: it was stopped,
/// throttled, or busy in a callback. A beat is due every so often; one that comes late tells of a
/// stall from its due time until now. Pure: the worker owns the timer. Thread: its worker's.
class StallWatch {
 public:
  /// Lateness below `noise` is scheduling and is not remembered.
  explicit StallWatch(Duration noise = std::chrono::milliseconds(2)) : noise_(noise) {}

  void on_beat(TimePoint due, TimePoint now);
  /// Time within [from, to] that was stalled, as far as it is remembered.
  Duration stalled(TimePoint from, TimePoint to) const;
  Duration last_lag() const { return last_lag_; }

 private:
  struct Stall {
    TimePoint begin, end;
  };
  const Duration noise_;
  std::array<Stall, 16> stalls_{};  // a ring; empty entries have begin == end
  std::size_t next_ = 0;
  Duration last_lag_{};
};

}  // namespace mcsteady::upstream
