#pragma once

#include <vector>

#include "config/section.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::config {

/// The items of a pool's `servers`, which is a list of endpoints and of maps with an `address`.
/// `common` is what they share; a server without a name is called by its address.
std::vector<routing::PoolServer> read_servers(const YamlNode& list,
                                              const upstream::ServerOptions& common,
                                              ErrorList& errors);

}  // namespace mcsteady::config
