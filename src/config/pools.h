#pragma once

#include <vector>

#include "config/section.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::config {

/// The pools of a map from name to pool, in the order of the file. `value_max` is every server's.
std::vector<routing::PoolOptions> read_pools(const YamlNode& map, ByteCount value_max,
                                             std::vector<TlsUse>& tls, ErrorList& errors);

}  // namespace mcsteady::config
