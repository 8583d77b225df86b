#include "config/route_in_yaml.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "config/failover_causes.h"
#include "config/units.h"

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

std::string list_of(const std::vector<RouteOptions>& children) {
  std::string list;
  for (const RouteOptions& child : children) {
    list += (list.empty() ? "" : ", ") + route_in_yaml(child);
  }
  return "[" + list + "]";
}

std::string causes_of(const RouteOptions& route) {
  std::string causes;
  for (const FailoverCause& cause : kFailoverCauses) {
    if (!has(route.failover, cause)) continue;
    causes += (causes.empty() ? "" : ", ") + std::string(cause.word);
  }
  return "[" + causes + "]";
}

std::string failover(const RouteOptions& route) {
  return "{ failover: " + list_of(route.children) + ", on: " + causes_of(route) + " }";
}

std::string read_word(RouteOptions::Read read) {
  switch (read) {
    case RouteOptions::Read::First:
      return "first";
    case RouteOptions::Read::Spread:
      return "spread";
    case RouteOptions::Read::Fastest:
      return "fastest";
    case RouteOptions::Read::All:
      return "all";
  }
  return {};
}

std::string replicate(const RouteOptions& route) {
  std::string map;
  add(map, "replicate", list_of(route.children));
  const bool by_one = route.answer == RouteOptions::Answer::First;
  const bool by_most = route.answer == RouteOptions::Answer::Majority;
  add(map, "answer", by_one ? "first" : by_most ? "majority" : "all");
  add(map, "read", read_word(route.read));
  add(map, "on", causes_of(route));
  return "{ " + map + " }";
}

std::string migrate(const RouteOptions& route) {
  std::string map;
  add(map, "migrate",
      "{ from: " + route_in_yaml(route.children[1]) + ", to: " + route_in_yaml(route.children[0]) +
          " }");
  if (route.until) {
    const std::time_t at = std::chrono::system_clock::to_time_t(*route.until);
    std::tm parts{};
    gmtime_r(&at, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    add(map, "until", text.data());
  }
  if (route.fill.count() > 0) add(map, "fill", to_text(Duration(route.fill)));
  return "{ " + map + " }";
}

std::string shadow(const RouteOptions& route) {
  std::string map;
  add(map, "shadow", route_in_yaml(route.children[1]));
  std::array<char, 32> share{};
  std::snprintf(share.data(), share.size(), "%g%%", route.share * 100.0 / RouteOptions::kWhole);
  add(map, "share", share.data());
  add(map, "route", route_in_yaml(route.children[0]));
  return "{ " + map + " }";
}

std::string rate_limit(const RouteOptions& route) {
  std::string map;
  add(map, "rate_limit", std::to_string(route.per_second));
  add(map, "burst", std::to_string(route.burst));
  add(map, "over", route.text.empty() ? "miss" : "error");
  add(map, "route", route_in_yaml(route.children[0]));
  return "{ " + map + " }";
}

std::string rewrite(const RouteOptions& route) {
  std::string map;
  if (!route.rewrite.strip.empty()) add(map, "strip", in_quotes(route.rewrite.strip));
  if (!route.rewrite.add.empty()) add(map, "add", in_quotes(route.rewrite.add));
  const Duration ttl_max = route.rewrite.ttl_max;
  if (ttl_max != Duration::zero()) add(map, "ttl_max", to_text(ttl_max));
  return "{ rewrite: { " + map + " }, route: " + route_in_yaml(route.children[0]) + " }";
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
    case Kind::Replicate:
      return replicate(route);
    case Kind::Migrate:
      return migrate(route);
    case Kind::RateLimit:
      return rate_limit(route);
    case Kind::Rewrite:
      return rewrite(route);
    case Kind::Coalesce:
      return "{ coalesce: " + route_in_yaml(route.children[0]) + " }";
    case Kind::Shadow:
      return shadow(route);
  }
  return {};
}

}  // namespace mcsteady::config
