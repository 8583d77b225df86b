#include "mcsteady/discovery/metrics.h"

namespace mcsteady::discovery {

void Metrics::register_in(metrics::Registry& registry) const {
  registry.add({"name_lookups", ""}, lookups);
  registry.add({"name_lookup_failures", ""}, lookup_failures);
  registry.add({"name_address_changes", ""}, address_changes);
}

void PoolMetrics::register_in(metrics::Registry& registry, const std::string& pool) const {
  registry.add({"pool_listings", pool}, listings);
  registry.add({"pool_listing_failures", pool}, listing_failures);
  registry.add({"pool_empty_listings", pool}, empty_listings);
  registry.add({"pool_joined", pool}, joined);
  registry.add({"pool_left", pool}, left);
  registry.add({"pool_servers", pool}, servers);
  registry.add({"pool_held", pool}, held);
  registry.add({"pool_last_change", pool}, last_change);
}

}  // namespace mcsteady::discovery
