#include "mcsteady/placement/placement.h"

namespace mcsteady::placement {
namespace {

/// The port that libmemcached and those who follow it leave out of a name.
constexpr std::uint16_t kUnnamedPort = 11211;

std::string with_port(const std::string& host, const Node& node) {
  return host + ":" + std::to_string(node.port);
}
std::string with_port_unless_usual(const std::string& host, const Node& node) {
  return node.port == kUnnamedPort ? host : with_port(host, node);
}

std::string address_of(const Node& node) {
  if (!node.name.empty()) return node.name;
  return node.port == 0 ? node.host : with_port(node.host, node);
}

/// Java's InetSocketAddress.toString().
std::string java_address(const Node& node, const std::string& before_address) {
  if (node.port == 0) return node.host;
  if (node.ip.empty() || node.ip == node.host) return before_address + with_port(node.host, node);
  return node.host + "/" + with_port(node.ip, node);
}

}  // namespace

std::string name_of(const Node& node, Names names) {
  switch (names) {
    case Names::Libmemcached:
      return with_port_unless_usual(node.host, node);
    case Names::Twemproxy:
      if (!node.name.empty()) return node.name;
      // Its parser keeps the colon that ends the path.
      return node.port == 0 ? node.host + ":" : with_port_unless_usual(node.host, node);
    case Names::Address:
      return address_of(node);
    case Names::Slash:
      return "/" + with_port(node.host, node);
    case Names::Spymemcached:
      return java_address(node, "");
    case Names::Xmemcached:
      return java_address(node, "/");
    case Names::XmemcachedNginx:
      return with_port_unless_usual(node.ip.empty() ? node.host : node.ip, node);
    case Names::Evcache:
      return node.host + "/" + with_port(node.host, node);
  }
  return node.host;
}

}  // namespace mcsteady::placement
