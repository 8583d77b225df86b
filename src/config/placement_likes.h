#pragma once

#include <span>
#include <string_view>

#include "config/section.h"
#include "mcsteady/placement/options.h"

namespace mcsteady::config {

/// What the servers of the pool say that a reader of placements must know.
struct ServerFacts {
  bool weighted = false;  // a weight is not 1
};

/// A client or proxy that keys may have been placed by.
struct Like {
  std::string_view name;
  /// Sets all of `out`, and reads the options that this one has.
  void (*read)(Section& section, const ServerFacts& servers, placement::PlacementOptions& out);
};

std::span<const Like> placement_likes();

}  // namespace mcsteady::config
