#pragma once

#include <algorithm>
#include <optional>

#include "mcsteady/discovery/options.h"

namespace mcsteady::discovery {

/// When to ask for a name again: when its TTL ends, within limits; soon, where the last question
/// failed (each failure in a row doubles the delay) or there is reason to doubt the answer; never
/// twice within `ttl_min`, and never while a question is under way. Pure.
class LookupSchedule {
 public:
  static constexpr Duration kRetryMax = std::chrono::seconds(30);

  LookupSchedule(const TtlLimits& limits, TimePoint now) : limits_(limits), due_(now) {}

  void on_asked(TimePoint now) {
    asked_at_ = now;
    due_.reset();
  }
  void on_answered(Duration ttl, TimePoint now) {
    retry_ = limits_.ttl_min;
    due_ = now + std::clamp(ttl, limits_.ttl_min, limits_.ttl_max);
  }
  void on_failed(TimePoint now) {
    due_ = now + std::min(retry_, limits_.ttl_max);
    retry_ = std::max(limits_.ttl_min, std::min(2 * retry_, kRetryMax));
  }
  /// The answer may be wrong by now, or a later one is awaited at that time.
  void hurry(TimePoint at) {
    if (due_) due_ = std::min(*due_, std::max(at, asked_at_ + limits_.ttl_min));
  }

  /// Unset while a question is under way.
  std::optional<TimePoint> due() const { return due_; }
  bool is_due(TimePoint now) const { return due_ && *due_ <= now; }

 private:
  TtlLimits limits_;
  Duration retry_ = limits_.ttl_min;
  TimePoint asked_at_{};
  std::optional<TimePoint> due_;
};

}  // namespace mcsteady::discovery
