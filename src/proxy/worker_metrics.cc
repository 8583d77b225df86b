#include "mcsteady/proxy/worker_metrics.h"

#include <string>

namespace mcsteady::proxy {

const char* to_string(CloseCause cause) {
  switch (cause) {
    case CloseCause::ClientClosed:
      return "client_closed";
    case CloseCause::Quit:
      return "quit";
    case CloseCause::Refused:
      return "refused";
    case CloseCause::TooMany:
      return "too_many";
    case CloseCause::Stranger:
      return "stranger";
    case CloseCause::TlsFailed:
      return "tls_failed";
    case CloseCause::AuthFailed:
      return "auth_failed";
    case CloseCause::AuthLate:
      return "auth_late";
    case CloseCause::SlowRequest:
      return "slow_request";
    case CloseCause::Idle:
      return "idle";
    case CloseCause::Stuck:
      return "stuck";
    case CloseCause::NoMemory:
      return "no_memory";
    case CloseCause::Drained:
      return "drained";
  }
  return "?";
}

void WorkerMetrics::register_in(metrics::Registry& registry) const {
  const auto add = [&](std::string name, const auto& metric) {
    registry.add({std::move(name), ""}, metric);
  };
  for (std::size_t i = 0; i < protocol::kVerbCount; ++i) {
    add("cmd_" + std::string(protocol::to_string(static_cast<protocol::Verb>(i))), commands[i]);
  }
  for (std::size_t i = 0; i < kCloseCauseCount; ++i) {
    add(std::string("clients_closed_") + to_string(static_cast<CloseCause>(i)), clients_closed[i]);
  }
  add("refusals", refusals);
  constexpr std::array<const char*, protocol::kLimitKindCount> kKinds = {"key", "line", "value",
                                                                         "get_keys"};
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    add(std::string("over_limit_") + kKinds[i], over_limit[i]);
  }
  add("over_limit_in_flight", over_limit_in_flight);
  add("get_keys", get_keys);
  add("get_hits", get_hits);
  add("get_misses", get_misses);
  const auto add_both = [&](const std::string& command, const HitsAndMisses& of) {
    add(command + "_hits", of.hits);
    add(command + "_misses", of.misses);
  };
  add_both("delete", of_delete);
  add_both("incr", of_incr);
  add_both("decr", of_decr);
  add_both("touch", of_touch);
  add_both("gat", of_gat);
  add_both("cas", of_cas);
  add("cas_badval", cas_badval);
  add("unavailable", unavailable);
  add("clients_accepted", clients_accepted);
  add("auth_accepted", auth_accepted);
  add("auth_failures", auth_failures);
  add("auth_busy", auth_busy);
  add("clients", clients);
  add("bytes_read", bytes_read);
  add("bytes_written", bytes_written);
  add("yields", yields);
  add("reads_paused", reads_paused);
  add("request_time", request_time);
  add("loop_lag", loop_lag);
}

}  // namespace mcsteady::proxy
