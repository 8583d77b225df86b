#pragma once

#include "config/section.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::config {

/// Reads `placement` of a pool into `options.placement`, and how it is written into
/// `options.placement_text`. The servers have been read: what does not fit them is an error.
void read_placement(Section& pool, routing::PoolOptions& options);

}  // namespace mcsteady::config
