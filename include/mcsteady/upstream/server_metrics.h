#pragma once

#include <array>
#include <string>

#include "mcsteady/metrics/histogram.h"
#include "mcsteady/metrics/metrics.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::upstream {

/// What one worker counts of one server. Registered as server_*, with the server's name. Probes are
/// nobody's requests: what their connections do is in `probes` and `probes_failed` only.
struct ServerMetrics {
  metrics::Counter requests;                             // commands handed to a connection
  metrics::Counter answered;                             // replies that reached their owner
  std::array<metrics::Counter, kFailureCount> failures;  // commands that failed, by cause
  metrics::Counter timeouts_recovered;                   // a wait ran out, and the reply was there
  metrics::Counter waits_granted;                        // a wait ran out because we stalled
  metrics::Counter late_replies_dropped;
  metrics::Counter unwanted_replies_dropped;  // the client had gone
  metrics::Counter connections_retired;
  metrics::Counter connections_opened;
  metrics::Counter connections_closed_idle;
  metrics::Counter incidents;          // held against it
  metrics::Counter incidents_excused;  // not held against it: all servers seemed to fail at once
  metrics::Counter down_marks;
  metrics::Counter resends;
  metrics::Counter probes;
  metrics::Counter probes_failed;
  metrics::Counter large_requests;         // by the connection for large values
  metrics::Counter large_requests_queued;  // not by it: their clients had others under way
  metrics::Counter stray_bytes;  // connections discarded because of bytes nobody had asked for
  metrics::Counter bytes_sent;
  metrics::Counter bytes_received;
  metrics::Gauge connections;        // open now, retired ones included
  metrics::Gauge owed;               // commands without a reply now
  metrics::Histogram response_time;  // from the last byte out to the end of the reply

  void register_in(metrics::Registry& registry, const std::string& server) const;
  void remove_from(metrics::Registry& registry, const std::string& server) const;

 private:
  /// Calls `use(name, metric)` for each.
  template <class Use>
  void for_each(const Use& use) const;
};

}  // namespace mcsteady::upstream
