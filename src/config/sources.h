#pragma once

#include "config/section.h"
#include "mcsteady/discovery/options.h"
#include "mcsteady/net/resolver.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::config {

/// A pool's `servers` where that is a map: `dns`, `srv` or `elasticache`, one of them, with how
/// often to ask and how long to wait before a server that is missing has left.
routing::SourceOptions read_source(const YamlNode& map, ErrorList& errors);

/// The section `resolver`.
void read_resolver(Section& top, net::ResolverOptions& resolver, discovery::TtlLimits& limits);

}  // namespace mcsteady::config
