#pragma once

#include <array>
#include <string_view>

#include "mcsteady/routing/failover_rule.h"

namespace mcsteady::config {

/// A word for what makes a request go on to the next route of a failover.
struct FailoverCause {
  std::string_view word;
  std::array<upstream::Failure, 5> failures;  // the last one repeated, where there are fewer
  bool is_miss = false;
};

inline constexpr std::array<FailoverCause, 5> kFailoverCauses = [] {
  using F = upstream::Failure;
  return std::array<FailoverCause, 5>{{
      {"down", {F::ServerDown, F::NoServers, F::NoServers, F::NoServers, F::NoServers}},
      {"connect",
       {F::ConnectTimeout, F::ConnectRefused, F::ConnectFailed, F::ServerFull, F::OurShortage}},
      {"timeout",
       {F::ServerLate, F::NetworkLost, F::RequestDeadline, F::RequestDeadline, F::RequestDeadline}},
      {"lost", {F::ConnectionLost, F::BadReply, F::BadReply, F::BadReply, F::BadReply}},
      {"miss", {}, true},
  }};
}();

inline bool has(const routing::FailoverRule& rule, const FailoverCause& cause) {
  if (cause.is_miss) return rule.on_miss;
  return rule.causes.test(static_cast<std::size_t>(cause.failures.front()));
}

inline void add(const FailoverCause& cause, routing::FailoverRule& rule) {
  if (cause.is_miss) {
    rule.on_miss = true;
    return;
  }
  for (const upstream::Failure failure : cause.failures) {
    rule.causes.set(static_cast<std::size_t>(failure));
  }
}

}  // namespace mcsteady::config
