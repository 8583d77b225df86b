#pragma once

#include <cstdint>

#include "mcsteady/base/clock.h"

namespace mcsteady::upstream {

struct LateBounds {
  Duration time_max = std::chrono::seconds(5);    // from retirement
  std::uint64_t bytes_max = 64ull * 1024 * 1024;  // dropped since retirement
  std::uint64_t replies_max = 10'000;             // owed at one time
};

/// The account of a retired connection: replies that are owed though nobody waits for them any
/// more. They are read and dropped, within bounds; past one of these the connection is not worth
/// keeping. Pure.
class LateLedger {
 public:
  explicit LateLedger(const LateBounds& bounds = {}) : bounds_(bounds) {}

  void on_retired(TimePoint now) { retired_at_ = now; }
  void on_dropped(std::uint64_t bytes) { bytes_ += bytes; }
  bool exceeded(TimePoint now, std::uint64_t owed) const {
    return now >= ends_at() || bytes_ > bounds_.bytes_max || owed > bounds_.replies_max;
  }
  TimePoint ends_at() const { return retired_at_ + bounds_.time_max; }

 private:
  LateBounds bounds_;
  TimePoint retired_at_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace mcsteady::upstream
