#include "config/pools.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "config/failure_likes.h"
#include "config/placements.h"
#include "config/servers.h"
#include "config/sources.h"
#include "config/tls.h"
#include "config/units.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using protocol::DownPolicy;
using routing::PastDown;
using upstream::ServerOptions;

constexpr std::size_t kPoolNameMax = 64;
struct OnDown {
  PastDown past_down;
  DownPolicy policy;
};
constexpr std::array<Choice<OnDown>, 5> kOnDown = {{
    {"miss", {PastDown::Stay, DownPolicy::Miss}},
    {"error", {PastDown::Stay, DownPolicy::Error}},
    {"eject", {PastDown::Eject, DownPolicy::Miss}},
    {"rehash", {PastDown::Rehash, DownPolicy::Miss}},
    {"next", {PastDown::Next, DownPolicy::Miss}},
}};

/// A wait that cannot run out before the request does is a slip in one of the two.
void check_wait(Section& timeouts, std::string_view key, Duration wait, Duration request,
                std::string_view rule) {
  if (timeouts.has(key)) {
    timeouts.error(timeouts.mark_of(key), key,
                   to_text(wait) + " never runs out; it must be " + std::string(rule) +
                       " request (" + to_text(request) + "), or request 0 for none");
  } else {
    timeouts.error(timeouts.mark_of("request"), "request",
                   to_text(request) + " leaves no room for " + std::string(key) + ", by default " +
                       to_text(wait) + "; set that too, " + std::string(rule) + " request");
  }
}

void check_timeouts(Section& timeouts, const ServerOptions& server) {
  const Duration request = server.request_timeout;
  if (request == Duration::zero() || !timeouts.is_sound()) return;
  if (server.response_timeout >= request) {
    check_wait(timeouts, "response", server.response_timeout, request, "shorter than");
  }
  if (server.connect_timeout > request) {
    check_wait(timeouts, "connect", server.connect_timeout, request, "no longer than");
  }
}

/// What is left out follows what is given: a longer wait alone makes room for itself.
void fit_defaults(const Section& timeouts, ServerOptions& server) {
  if (server.request_timeout == Duration::zero() && !timeouts.has("request")) {
    return;  // as it is with what the pool is like
  }
  if (!timeouts.has("request")) {
    const Duration needed =
        server.connect_timeout + server.response_timeout + std::chrono::milliseconds(50);
    server.request_timeout = std::max(server.request_timeout, needed);
  } else if (!timeouts.has("connect") && server.request_timeout != Duration::zero()) {
    server.connect_timeout = std::min(server.connect_timeout, server.request_timeout);
  }
}

void read_timeouts(Section& pool, ServerOptions& server) {
  Section timeouts = pool.subsection("timeouts");
  timeouts.read_duration("connect", server.connect_timeout, Zero::Refused);
  timeouts.read_duration("response", server.response_timeout, Zero::Refused);
  timeouts.read_duration("request", server.request_timeout, Zero::Allowed);
  fit_defaults(timeouts, server);
  check_timeouts(timeouts, server);
  timeouts.finish();
}

void read_health(Section& pool, upstream::HealthOptions& options) {
  Section health = pool.subsection("health");
  health.read_number("max_failures", options.max_failures, {1, 1000});
  health.read_duration("down_retry_delay", options.down_retry_delay, Zero::Refused);
  health.read_duration("down_retry_delay_max", options.down_retry_delay_max, Zero::Refused);
  health.read_flag("flush_on_return", options.flush_on_return);
  // No growth unless it is asked for: a server that is back is used again within one delay.
  if (health.has("down_retry_delay") && !health.has("down_retry_delay_max")) {
    options.down_retry_delay_max = options.down_retry_delay;
  }
  if (health.is_sound() && options.down_retry_delay > options.down_retry_delay_max) {
    health.error(health.mark_of("down_retry_delay"), "down_retry_delay",
                 to_text(options.down_retry_delay) + " is longer than down_retry_delay_max (" +
                     to_text(options.down_retry_delay_max) + ")");
  }
  health.finish();
}

void read_on_down(Section& pool, routing::PoolOptions& options) {
  OnDown on_down{options.past_down, options.on_down};
  pool.read_choice<OnDown>("on_down", on_down, kOnDown);
  options.past_down = on_down.past_down;
  options.on_down = on_down.policy;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kPoolNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-' || c == '_';
         });
}

/// What is connected to over a unix socket has no name that a certificate could bear.
void refuse_nameless(Section& pool, const routing::PoolOptions& options) {
  for (const routing::PoolServer& member : options.servers) {
    const auto& tls = member.server.tls;
    if (!tls || !tls->options().verify || !tls->options().server_name.empty()) continue;
    if (!member.server.endpoint.is_unix()) continue;
    return pool.error(pool.mark_of("tls"), "tls",
                      "no name to verify at " + member.server.endpoint.text() +
                          "; write server_name: NAME in it, or verify: none");
  }
}

/// Keys are placed as if those that drain were not listed.
void leave_draining(Section& pool, Mark at, std::vector<routing::PoolServer>& servers) {
  const std::size_t listed = servers.size();
  std::erase_if(servers, [](const routing::PoolServer& server) { return server.is_draining; });
  if (listed != 0 && servers.empty()) {
    pool.error(at, "servers", "all drain; leave one for their keys");
  }
}

routing::PoolOptions read_pool(const YamlNode& name, const YamlNode& value, ByteCount value_max,
                               std::vector<TlsUse>& tls, ErrorList& errors) {
  routing::PoolOptions options;
  options.name = name.text;
  Section pool(&value, name.text, errors);
  const bool is_readable = pool.is_sound();
  ServerOptions common;
  common.value_max = value_max;
  pool.read_text("zone", options.zone);
  pool.read_number("connections", common.connections, {1, 64});
  pool.read_size("large_value", common.large_value, {ByteCount{0}, MiB(1024)});
  read_failure_like(pool, common, options);
  read_timeouts(pool, common);
  pool.read_flag("timeout_recovery", common.timeout_recovery);
  pool.read_flag("gather_gets", common.gather_gets);
  pool.read_duration("stall_min", common.stall_min, Zero::Refused);
  read_health(pool, common.health);
  read_on_down(pool, options);
  pool.refuse_for_now("hash");
  common.tls = read_client_tls(pool, name.text, tls);
  if (const auto servers = pool.find("servers")) {
    if (servers->value->kind == YamlNode::Kind::Map) {
      options.source = read_source(*servers->value, errors);
      options.common = common;
    } else {
      options.servers = read_servers(*servers->value, common, errors);
      leave_draining(pool, servers->value->mark, options.servers);
      refuse_nameless(pool, options);
    }
  } else if (is_readable && !pool.has("servers")) {
    pool.error(name.mark, name.text, "has no servers; write servers: [host:port]");
  }
  read_placement(pool, options);
  pool.finish();
  return options;
}

}  // namespace

std::vector<routing::PoolOptions> read_pools(const YamlNode& map, ByteCount value_max,
                                             std::vector<TlsUse>& tls, ErrorList& errors) {
  std::vector<routing::PoolOptions> pools;
  const Section section(&map, "pools", errors);  // for its errors: no map, double names
  if (map.kind != YamlNode::Kind::Map) return pools;
  if (map.items.empty()) {
    errors.add(map.mark, "pools: no pool; write pools: { main: { servers: [host:port] } }");
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const YamlNode& name = *map.items[i];
    if (name.kind != YamlNode::Kind::Scalar || !names.insert(name.text).second) continue;
    if (!is_name(name.text)) {
      errors.add(name.mark, "pools: " + quoted(name.text) +
                                " is no name for a pool; it has 1 to 64 letters, digits, "
                                "'.', '-' and '_'");
    }
    pools.push_back(read_pool(name, *map.items[i + 1], value_max, tls, errors));
  }
  return pools;
}

}  // namespace mcsteady::config
