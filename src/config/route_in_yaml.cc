#include "config/route_in_yaml.h"

#include "config/failover_causes.h"

#include <cstdio>

namespace mcsteady::config {
namespace {

using routing::RouteOptions;
using Kind = RouteOptions::Kind;

/// In quotes, since prefixes may hold anything.
std::string in_quotes(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

void add(std::string& map, const std::string& key, const std::string& value) {
  map += (map.empty() ? "" : ", ") + key + ": " + value;
}

std::string by_command(const RouteOptions& route) {
  std::string map;
  for (std::size_t i = 0; i < route.children.size(); ++i) {
    const std::string child = route_in_yaml(route.children[i]);
    const bool is_rest = route.commands[i].test(routing::index_of(protocol::Verb::Quit));
    if (is_rest) add(map, "otherwise", child);
    for (std::size_t verb = 0; !is_rest && verb < protocol::kVerbCount; ++verb) {
      if (!route.commands[i].test(verb)) continue;
      add(map, std::string(to_string(static_cast<protocol::Verb>(verb))), child);
    }
  }
  return "{ by_command: { " + map + " } }";
}

std::string failover(const RouteOptions& route) {
  std::string list;
  for (const RouteOptions& child : route.children) {
    list += (list.empty() ? "" : ", ") + route_in_yaml(child);
  }
  std::string causes;
  for (const FailoverCause& cause : kFailoverCauses) {
    if (!has(route.failover, cause)) continue;
    causes += (causes.empty() ? "" : ", ") + std::string(cause.word);
  }
  return "{ failover: [" + list + "], on: [" + causes + "] }";
}

}  // namespace

std::string route_in_yaml(const RouteOptions& route) {
  switch (route.kind) {
    case Kind::Pool:
      return route.text;
    case Kind::Null:
      return "nowhere";
    case Kind::Error:
      return "{ error: " + in_quotes(route.text) + " }";
    case Kind::ByPrefix: {
      std::string map;
      for (std::size_t i = 0; i < route.children.size(); ++i) {
        add(map, in_quotes(route.prefixes[i]), route_in_yaml(route.children[i]));
      }
      return "{ by_prefix: { " + map + " } }";
    }
    case Kind::ByCommand:
      return by_command(route);
    case Kind::Failover:
      return failover(route);
  }
  return {};
}

}  // namespace mcsteady::config
