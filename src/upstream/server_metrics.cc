#include "mcsteady/upstream/server_metrics.h"

namespace mcsteady::upstream {

void ServerMetrics::register_in(metrics::Registry& registry, const std::string& server) const {
  const auto add = [&](const char* name, const auto& metric) {
    registry.add({std::string("server_") + name, server}, metric);
  };
  add("requests", requests);
  add("answered", answered);
  for (std::size_t i = 0; i < kFailureCount; ++i) {
    const std::string cause = to_string(static_cast<Failure>(i));
    registry.add({"server_failed_" + cause, server}, failures[i]);
  }
  add("timeouts_recovered", timeouts_recovered);
  add("waits_granted", waits_granted);
  add("late_replies_dropped", late_replies_dropped);
  add("unwanted_replies_dropped", unwanted_replies_dropped);
  add("connections_retired", connections_retired);
  add("connections_opened", connections_opened);
  add("connections_closed_idle", connections_closed_idle);
  add("incidents", incidents);
  add("down_marks", down_marks);
  add("resends", resends);
  add("probes", probes);
  add("stray_bytes", stray_bytes);
  add("bytes_sent", bytes_sent);
  add("bytes_received", bytes_received);
  add("connections", connections);
  add("owed", owed);
  add("response_time", response_time);
}

}  // namespace mcsteady::upstream
