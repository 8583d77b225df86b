#pragma once

#include <memory>
#include <vector>

#include "mcsteady/placement/placement.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::routing {

/// Who belongs to a pool at a time, and which of them each key belongs to. Immutable: made once, by
/// whoever found it out, shared by the pools of all workers, and swapped whole.
struct Membership {
  std::vector<PoolServer> servers;
  std::vector<placement::Node> nodes;                     // the same, as a placement takes them
  std::unique_ptr<const placement::Placement> placement;  // null where there is no server
};
using MembershipPtr = std::shared_ptr<const Membership>;

MembershipPtr make_membership(const PlacementOptions& options, std::vector<PoolServer> servers);

}  // namespace mcsteady::routing
