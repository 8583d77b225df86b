#pragma once

#include <algorithm>

#include "mcsteady/base/clock.h"

namespace mcsteady::routing {

/// So many a second, and at most `burst` at once after a pause. Pure.
class TokenBucket {
 public:
  /// Both over 0. Full at `now`.
  TokenBucket(double per_second, double burst, TimePoint now)
      : per_second_(per_second), burst_(burst), tokens_(burst), at_(now) {}

  /// False: there is none left.
  bool take(TimePoint now) {
    const std::chrono::duration<double> passed = now - at_;
    at_ = now;
    tokens_ = std::min(burst_, tokens_ + passed.count() * per_second_);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  const double per_second_;
  const double burst_;
  double tokens_;
  TimePoint at_;
};

}  // namespace mcsteady::routing
