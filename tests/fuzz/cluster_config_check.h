#pragma once

#include <cstdlib>
#include <string_view>

#include "mcsteady/discovery/cluster_config.h"

// What must hold for the cluster reply parser whatever bytes a server sends. Aborts where it does
// not.
namespace mcsteady::discovery::fuzz {

inline void check_cluster_reply(std::string_view input) {
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  const auto result = parse_cluster_reply(input);
  if (!result) return require(!result.error().text.empty());
  if (!*result) return require(input.size() < (std::size_t{1} << 20) + 2048);
  require(!(*result)->nodes.empty());
  for (const ClusterConfig::Node& node : (*result)->nodes) {
    require(!node.at.is_unix() && node.at.port != 0 && !node.at.host.empty());
    const auto again = net::parse_endpoint(node.at.text());
    require(again && *again == node.at);
  }
  // No shorter input is a whole reply.
  const std::size_t end = input.find("\r\nEND\r\n");
  for (std::size_t cut = end; cut > 0; cut /= 2) {
    const auto shorter = parse_cluster_reply(input.substr(0, cut));
    require(!shorter || !*shorter);
  }
}

}  // namespace mcsteady::discovery::fuzz
