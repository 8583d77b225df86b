#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "support/fake_clock.h"

namespace mcsteady::upstream {

/// A clock that a test moves, and timers on it. Thread: one.
class ManualTimers {
 public:
  ManualTimers() = default;
  ManualTimers(const ManualTimers&) = delete;
  ManualTimers& operator=(const ManualTimers&) = delete;
  ~ManualTimers() { assert(timers_.empty() && "timers do not outlive their loop"); }

  TimePoint now() const { return clock_.now(); }
  std::unique_ptr<net::Timer> make(net::TimerCallback callback) {
    return std::make_unique<Timer>(*this, std::move(callback));
  }
  /// Time passes, and no timer fires.
  void pass(Duration by) { clock_.advance(by); }
  /// Fires the first timer that is due by `until`, at its own time if that is still to come. False:
  /// none is.
  bool fire_first(TimePoint until) {
    Timer* first = nullptr;
    for (Timer* timer : timers_) {
      if (timer->armed && timer->due <= until && (first == nullptr || timer->due < first->due)) {
        first = timer;
      }
    }
    if (first == nullptr) return false;
    clock_.set(std::max(now(), first->due));
    first->armed = false;
    first->callback(first->due);
    return true;
  }
  std::size_t armed() const {
    return static_cast<std::size_t>(std::ranges::count_if(timers_, &Timer::is_set));
  }

 private:
  struct Timer final : net::Timer {
    Timer(ManualTimers& list, net::TimerCallback what) : owner(list), callback(std::move(what)) {
      owner.timers_.push_back(this);
    }
    ~Timer() override { std::erase(owner.timers_, this); }
    void set(TimePoint at) override {
      due = at;
      armed = true;
    }
    void clear() override { armed = false; }
    bool is_set() const override { return armed; }
    ManualTimers& owner;
    net::TimerCallback callback;
    TimePoint due{};
    bool armed = false;
  };

  test::FakeClock clock_;
  std::vector<Timer*> timers_;
};

}  // namespace mcsteady::upstream
