#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mcsteady/placement/placement.h"
#include "mcsteady/protocol/reply.h"
#include "mcsteady/upstream/options.h"

namespace mcsteady::routing {

struct PoolServer {
  upstream::ServerOptions server;
  std::uint32_t weight = 1;
};

using placement::PlacementOptions;

/// Servers that share one placement of keys.
struct PoolOptions {
  std::string name;
  std::vector<PoolServer> servers;  // in the order written, which placement may depend on
  PlacementOptions placement;
  protocol::DownPolicy on_down = protocol::DownPolicy::Miss;
};

}  // namespace mcsteady::routing
