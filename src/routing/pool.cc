#include "mcsteady/routing/pool.h"

namespace mcsteady::routing {

namespace {
placement::Node node_of(const PoolServer& entry) {
  const net::Endpoint& at = entry.server.endpoint;
  return {.host = at.is_unix() ? at.unix_path : at.host, .port = at.port, .weight = entry.weight};
}
}  // namespace

Pool::Pool(const PoolOptions& options, const upstream::Context& context, upstream::Fleet& fleet,
           metrics::Registry& registry)
    : on_down_(options.on_down) {
  std::vector<placement::Node> nodes;
  for (const PoolServer& entry : options.servers) {
    nodes.push_back(node_of(entry));
    upstream::SharedServer& shared =
        fleet.server(entry.server.name, entry.server.endpoint, entry.server.health);
    servers_.push_back(std::make_unique<upstream::Server>(entry.server, context, shared));
    servers_.back()->metrics().register_in(registry, entry.server.name);
  }
  placement_ = placement::make_placement(options.placement, nodes);
}

}  // namespace mcsteady::routing
