#pragma once

#include <string_view>

#include "mcsteady/placement/options.h"

namespace mcsteady::placement {

/// The part of `key` that is hashed, without the salt. A view into `key`. Sources: twemproxy
/// nc_server.c, server_pool_hash(); memcached proxy_ring_hash.c; mcrouter lib/carbon/Keys-inl.h.
std::string_view part_of(std::string_view key, const KeyPart& rule);

}  // namespace mcsteady::placement
