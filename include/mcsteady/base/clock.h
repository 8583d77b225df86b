#pragma once

#include <chrono>

namespace mcsteady {

using Duration = std::chrono::nanoseconds;
/// Monotonic time. Pure code takes it as an argument; only the edge asks a Clock.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

}  // namespace mcsteady
