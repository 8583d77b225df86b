#include "mcsteady/upstream/server_metrics.h"

namespace mcsteady::upstream {

template <class Use>
void ServerMetrics::for_each(const Use& use) const {
  use("requests", requests);
  use("answered", answered);
  for (std::size_t i = 0; i < kFailureCount; ++i) {
    const std::string cause = to_string(static_cast<Failure>(i));
    use("failed_" + cause, failures[i]);
  }
  use("timeouts_recovered", timeouts_recovered);
  use("waits_granted", waits_granted);
  use("late_replies_dropped", late_replies_dropped);
  use("unwanted_replies_dropped", unwanted_replies_dropped);
  use("connections_retired", connections_retired);
  use("connections_opened", connections_opened);
  use("connections_closed_idle", connections_closed_idle);
  use("incidents", incidents);
  use("incidents_excused", incidents_excused);
  use("down_marks", down_marks);
  use("resends", resends);
  use("probes", probes);
  use("probes_failed", probes_failed);
  use("large_requests", large_requests);
  use("large_requests_queued", large_requests_queued);
  use("stray_bytes", stray_bytes);
  use("bytes_sent", bytes_sent);
  use("bytes_received", bytes_received);
  use("connections", connections);
  use("owed", owed);
  use("response_time", response_time);
}

void ServerMetrics::register_in(metrics::Registry& registry, const std::string& server) const {
  for_each([&](const std::string& name, const auto& metric) {
    registry.add({"server_" + name, server}, metric);
  });
}

void ServerMetrics::remove_from(metrics::Registry& registry, const std::string& server) const {
  for_each([&](const std::string& name, const auto& metric) {
    registry.remove({"server_" + name, server}, metric);
  });
}

}  // namespace mcsteady::upstream
