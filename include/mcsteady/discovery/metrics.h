#pragma once

#include <string>

#include "mcsteady/metrics/metrics.h"
#include "mcsteady/metrics/registry.h"

namespace mcsteady::discovery {

/// What is counted of names. Registered as name_*.
struct Metrics {
  metrics::Counter lookups;          // questions, of pools' sources too
  metrics::Counter lookup_failures;  // the last good answer was kept
  metrics::Counter address_changes;  // a server has other addresses than before

  void register_in(metrics::Registry& registry) const;
};

/// What is counted of a pool whose servers are found. Registered as pool_*, with the pool's name.
struct PoolMetrics {
  metrics::Counter listings;          // answers of its source
  metrics::Counter listing_failures;  // the servers stayed as they were
  metrics::Counter empty_listings;    // answers without a server, which change nothing
  metrics::Counter joined;            // servers that came
  metrics::Counter left;              // servers that went
  metrics::Gauge servers;             // now
  metrics::Gauge held;                // of these, missing in the last answer
  metrics::Gauge last_change;         // Unix time in seconds, 0: never

  void register_in(metrics::Registry& registry, const std::string& pool) const;
};

}  // namespace mcsteady::discovery
