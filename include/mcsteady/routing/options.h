#pragma once

#include <chrono>
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
  std::string given_name = {};  // what the file calls it, for placements that go by that; or empty
  std::string ip = {};          // what the file says its host resolves to, for placements likewise
};

using placement::PlacementOptions;

/// Where the servers of a pool come from, if they are not listed.
struct SourceOptions {
  enum class Kind {
    List,         // they are
    Dns,          // every A and AAAA record of a name is a server
    Srv,          // SRV records: ports and weights; those of the best priority
    ElastiCache,  // `config get cluster` asked of a configuration endpoint
  } kind = Kind::List;
  net::Endpoint at;                               // Srv: the name is its host
  Duration hold_down = std::chrono::seconds(10);  // how long a server must be missing to leave
  Duration poll = std::chrono::seconds(60);       // ElastiCache: between two questions
  /// As logs and statistics call it: "dns:cache:11211".
  std::string text() const;
};

/// Servers that share one placement of keys.
struct PoolOptions {
  std::string name;
  std::vector<PoolServer> servers;  // in the order written, which placement may depend on
  SourceOptions source{};
  upstream::ServerOptions common{};  // of servers that `source` brings, name and endpoint apart
  PlacementOptions placement;
  std::string placement_text = "ketama";  // as the configuration has it
  protocol::DownPolicy on_down = protocol::DownPolicy::Miss;
};

}  // namespace mcsteady::routing
