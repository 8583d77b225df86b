#pragma once

#include <bitset>

#include "mcsteady/upstream/exchange.h"

namespace mcsteady::routing {

/// When a request goes on to the next route of a failover. Pure.
struct FailoverRule {
  std::bitset<upstream::kFailureCount> causes;
  bool on_miss = false;  // reads that miss go on, too

  /// `is_idempotent`: it may be carried out twice, here and by a server that was only late.
  bool goes_on(upstream::Failure cause, bool is_idempotent) const {
    if (!causes.test(static_cast<std::size_t>(cause))) return false;
    return is_idempotent || was_never_sent(cause);
  }

  static bool was_never_sent(upstream::Failure cause) {
    using upstream::Failure;
    switch (cause) {
      case Failure::ConnectTimeout:
      case Failure::ConnectRefused:
      case Failure::ConnectFailed:
      case Failure::ServerFull:
      case Failure::OurShortage:
      case Failure::ServerDown:
      case Failure::NoServers:
      case Failure::Refused:
        return true;
      default:
        return false;
    }
  }
};

}  // namespace mcsteady::routing
