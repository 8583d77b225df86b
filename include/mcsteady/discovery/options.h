#pragma once

#include <chrono>

#include "mcsteady/base/clock.h"

namespace mcsteady::discovery {

/// How long an answer is kept, whatever its TTL says.
struct TtlLimits {
  Duration ttl_min = std::chrono::seconds(5);  // also between two questions for one name
  Duration ttl_max = std::chrono::minutes(5);
};

}  // namespace mcsteady::discovery
