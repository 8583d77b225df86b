#pragma once

#include <cassert>
#include <chrono>

#include "mcsteady/base/clock.h"

namespace mcsteady::test {

/// Time that a test moves. Starts an hour after TimePoint{}, so that a forgotten default shows.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(TimePoint start = TimePoint{std::chrono::hours(1)}) : now_(start) {}

  TimePoint now() const override { return now_; }
  void advance(Duration by) { set(now_ + by); }
  void set(TimePoint to) {
    assert(to >= now_ && "monotonic time does not go back");
    now_ = to;
  }

 private:
  TimePoint now_;
};

}  // namespace mcsteady::test
