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
  bool is_up = true;            // false: taken as down for good, and never connected to
  bool is_draining = false;     // while it is read from a file: not one of the pool's
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

/// Where the keys of a server go while it is down. However they go, a server that comes back may
/// hold values older than those that were written elsewhere meanwhile, unless it is flushed then
/// (upstream::HealthOptions::flush_on_return).
enum class PastDown : std::uint8_t {
  Stay,    // nowhere: they are answered by DownPolicy
  Eject,   // all keys are placed as if the server were not listed
  Rehash,  // its keys are hashed again, as the client does that the placement is like
  Next,    // its keys go to the next live server
};

/// Servers that share one placement of keys.
struct PoolOptions {
  std::string name;
  std::string zone{};               // where it is, for routes that ask the nearest; or empty
  std::vector<PoolServer> servers;  // in the order written, which placement may depend on
  SourceOptions source{};
  upstream::ServerOptions common{};  // of servers that `source` brings, name and endpoint apart
  PlacementOptions placement;
  std::string placement_text = "ketama";                      // as the configuration has it
  protocol::DownPolicy on_down = protocol::DownPolicy::Miss;  // where no other server is asked
  PastDown past_down = PastDown::Stay;
};

}  // namespace mcsteady::routing
