#include "mcsteady/routing/membership.h"

#include <utility>

namespace mcsteady::routing {

namespace {
placement::Node node_of(const PoolServer& entry) {
  const net::Endpoint& at = entry.server.endpoint;
  return {.host = at.is_unix() ? at.unix_path : at.host,
          .port = at.port,
          .weight = entry.weight,
          .name = entry.given_name,
          .ip = entry.ip};
}
}  // namespace

std::string SourceOptions::text() const {
  switch (kind) {
    case Kind::List:
      return "list";
    case Kind::Dns:
      return "dns:" + at.text();
    case Kind::Srv:
      return "srv:" + at.host;
    case Kind::ElastiCache:
      return "elasticache:" + at.text();
  }
  return {};
}

MembershipPtr make_membership(const PlacementOptions& options, std::vector<PoolServer> servers) {
  auto membership = std::make_shared<Membership>();
  std::vector<placement::Node>& nodes = membership->nodes;
  nodes.reserve(servers.size());
  for (const PoolServer& entry : servers) nodes.push_back(node_of(entry));
  if (!nodes.empty()) membership->placement = placement::make_placement(options, nodes);
  membership->servers = std::move(servers);
  return membership;
}

}  // namespace mcsteady::routing
