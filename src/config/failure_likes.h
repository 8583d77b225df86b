#pragma once

#include "config/section.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::config {

/// `like: NAME` of a pool: fails as that client or proxy does, as far as its numbers go. Sets the
/// timeouts, the health and what is done about keys of a server that is down; what the pool says
/// itself is read afterwards, and wins. Returns whether it was given.
bool read_failure_like(Section& pool, upstream::ServerOptions& server,
                       routing::PoolOptions& options);

}  // namespace mcsteady::config
