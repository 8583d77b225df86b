#include "config/sources.h"

#include <algorithm>
#include <array>
#include <string>

#include "config/endpoints.h"
#include "config/units.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using routing::SourceOptions;
using Kind = SourceOptions::Kind;

constexpr std::array<Choice<Kind>, 3> kKinds = {
    {{"dns", Kind::Dns}, {"srv", Kind::Srv}, {"elasticache", Kind::ElastiCache}}};
constexpr std::string_view kForms =
    "write { dns: name:port }, { srv: name } or { elasticache: host:port }";

/// An SRV record brings the port, so its name comes without one.
void read_service_name(const YamlNode& node, net::Endpoint& at, ErrorList& errors) {
  const auto refuse = [&](const std::string& why) { errors.add(node.mark, "srv: " + why); };
  if (node.kind != YamlNode::Kind::Scalar) {
    return refuse(std::string(kind_name(node)) + " where a name like _memcache._tcp.cache belongs");
  }
  const auto as_host = net::parse_endpoint(node.text + ":1");
  if (!as_host || as_host->is_unix() || net::numeric_address(*as_host)) {
    return refuse(
        quoted(node.text) +
        " is no name of SRV records; write one like _memcache._tcp.cache, without a port");
  }
  at.host = as_host->host;
}

void read_place(const YamlNode& node, std::string_view key, net::Endpoint& at, ErrorList& errors) {
  const auto endpoint = read_endpoint(node, key, errors);
  if (!endpoint) return;
  const auto refuse = [&](const std::string& why) {
    errors.add(node.mark, std::string(key) + ": " + quoted(node.text) + " " + why);
  };
  if (endpoint->is_unix()) return refuse("is a unix socket; write name:port");
  if (endpoint->port == 0) return refuse("has port 0; a server's is from 1 to 65535");
  if (key == "dns" && net::numeric_address(*endpoint)) {
    return refuse("is one address, not a name; write servers: [" + node.text + "]");
  }
  at = *endpoint;
}

net::Endpoint read_name_server(const YamlNode& node, ErrorList& errors) {
  const auto refuse = [&] {
    errors.add(node.mark, "servers: " + quoted(node.text) +
                              " is no name server; write its address, as 10.0.0.10 or "
                              "10.0.0.10:53");
    return net::Endpoint{};
  };
  if (node.kind != YamlNode::Kind::Scalar) {
    errors.add(node.mark, "servers: " + std::string(kind_name(node)) +
                              " where a name server's address belongs");
    return {};
  }
  auto endpoint = net::parse_endpoint(node.text);
  if (!endpoint) {
    const bool is_v6 = std::ranges::count(node.text, ':') > 1;
    endpoint = net::parse_endpoint((is_v6 ? "[" + node.text + "]" : node.text) + ":53");
  }
  if (!endpoint || endpoint->is_unix() || endpoint->port == 0) return refuse();
  return net::numeric_address(*endpoint) ? *endpoint : refuse();
}

void read_name_servers(Section& section, std::vector<net::Endpoint>& servers, ErrorList& errors) {
  const auto entry = section.find("servers");
  if (!entry) return;
  if (entry->value->kind != YamlNode::Kind::List) {
    section.error(entry->value->mark, "servers",
                  std::string(kind_name(*entry->value)) +
                      " where a list of addresses belongs; write [10.0.0.10]");
    return;
  }
  for (const YamlNode* item : entry->value->items) {
    servers.push_back(read_name_server(*item, errors));
  }
}

}  // namespace

SourceOptions read_source(const YamlNode& map, ErrorList& errors) {
  SourceOptions options;
  Section section(&map, "servers", errors);
  const bool is_readable = section.is_sound();
  int kinds = 0;
  for (const auto& [key, kind] : kKinds) {
    const auto entry = section.find(key);
    if (section.has(key) && ++kinds > 1) {
      section.error(section.mark_of(key), key, "a second source; " + std::string(kForms));
    }
    if (!entry) continue;
    options.kind = kind;
    if (kind == Kind::Srv) {
      read_service_name(*entry->value, options.at, errors);
    } else {
      read_place(*entry->value, key, options.at, errors);
    }
  }
  if (kinds == 0 && is_readable) {
    errors.add(map.mark, "servers: no source of servers; list them, as [host:port], or " +
                             std::string(kForms));
    return options;
  }
  // A cluster's list has a version: what it leaves out is meant to be out.
  if (options.kind == Kind::ElastiCache) options.hold_down = Duration{0};
  section.read_duration("hold_down", options.hold_down, Zero::Allowed);
  if (section.has("elasticache")) section.read_duration("poll", options.poll, Zero::Refused);
  section.finish();
  return options;
}

void read_resolver(Section& top, net::ResolverOptions& resolver, discovery::TtlLimits& limits) {
  ErrorList& errors = top.errors();
  Section section = top.subsection("resolver");
  read_name_servers(section, resolver.servers, errors);
  section.read_duration("timeout", resolver.timeout, Zero::Refused);
  section.read_number("tries", resolver.tries, {1, 10});
  section.read_duration("ttl_min", limits.ttl_min, Zero::Refused);
  section.read_duration("ttl_max", limits.ttl_max, Zero::Refused);
  if (section.is_sound() && limits.ttl_min > limits.ttl_max) {
    const std::string_view key = section.has("ttl_min") ? "ttl_min" : "ttl_max";
    section.error(section.mark_of(key), key,
                  "no TTL is from ttl_min (" + to_text(limits.ttl_min) + ") to ttl_max (" +
                      to_text(limits.ttl_max) + ")");
  }
  section.finish();
}

}  // namespace mcsteady::config
