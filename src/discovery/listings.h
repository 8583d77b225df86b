#pragma once

#include <cstdint>

#include "discovery/candidate.h"
#include "mcsteady/discovery/cluster_config.h"
#include "mcsteady/net/resolver.h"

namespace mcsteady::discovery {

/// Every address is a server; in the order of their texts, since name servers rotate theirs.
Listing listing_of(const net::AddressAnswer& answer);

/// The records of the best (lowest) priority are servers: the others are there for when none of
/// those can be reached (RFC 2782), which for a cache is a miss. In the order of their names.
/// Weights are taken in lowest terms: equal ones are 1, however many servers share them, so that a
/// change of all of them at once (CoreDNS gives each 100/n) moves no key. 0 counts as the least.
Listing listing_of(const net::ServiceAnswer& answer);

/// In the order of the cluster's own list, which its other clients number servers by.
Listing listing_of(const ClusterConfig& config);

}  // namespace mcsteady::discovery
