#include <algorithm>

#include "config/route_in_yaml.h"
#include "config/units.h"
#include "config/words.h"
#include "mcsteady/config/config.h"

namespace mcsteady::config {
namespace {

/// Lines of YAML. What it writes, parse_config() reads.
class Page {
 public:
  void line(std::size_t depth, std::string_view text) {
    text_.append(depth * 2, ' ').append(text).append("\n");
  }
  void line(std::size_t depth, std::string_view key, std::string_view value) {
    line(depth, std::string(key) + ": " + std::string(value));
  }
  void line(std::size_t depth, std::string_view key, Duration value) {
    line(depth, key, to_text(value));
  }
  void line(std::size_t depth, std::string_view key, ByteCount value) {
    line(depth, key, to_text(value));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string in_octal(unsigned mode) {
  std::string digits;
  for (int shift = 9; shift >= 0; shift -= 3) {
    digits += static_cast<char>('0' + (mode >> shift & 7U));
  }
  return "\"" + digits + "\"";
}

std::string_view name_of(LogOptions::Format format) {
  return format == LogOptions::Format::Json ? "json" : "text";
}

template <class Id>
void describe_ids(std::string_view key, const std::vector<Id>& ids, Page& page) {
  if (ids.empty()) return;
  std::string list;
  for (const Id id : ids) list += (list.empty() ? "[" : ", ") + std::to_string(id);
  page.line(3, key, list + "]");
}

void describe_peers(const proxy::PeerRule& peers, Page& page) {
  if (peers.is_open()) return;
  page.line(2, "peers:");
  describe_ids("uid", peers.uids, page);
  describe_ids("gid", peers.gids, page);
}

void describe_own(std::size_t depth, const net::TlsOptions& own, Page& page) {
  const auto text = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) page.line(depth, key, in_yaml(value));
  };
  text("certificate", own.certificate);
  text("key", own.key);
  page.line(depth, "minimum_version",
            own.minimum_version == net::TlsVersion::Tls13 ? "\"1.3\"" : "\"1.2\"");
  text("ciphers", own.ciphers);
  text("ciphersuites", own.ciphersuites);
}

void describe_server_tls(const net::TlsServerOptions& tls, Page& page) {
  page.line(2, "tls:");
  describe_own(3, tls.own, page);
  if (!tls.client_ca.empty()) {
    page.line(3, "client_ca", in_yaml(tls.client_ca));
    page.line(3, "client_certificate", tls.client_required ? "required" : "optional");
  }
  std::string names;
  for (const std::string& name : tls.client_names) {
    names += (names.empty() ? "[" : ", ") + in_yaml(name);
  }
  if (!names.empty()) page.line(3, "client_names", names + "]");
  page.line(3, "handshake_timeout", tls.handshake_timeout);
  page.line(3, "handshakes_per_turn", std::to_string(tls.handshakes_per_turn));
}

void describe_client_tls(const net::TlsClientOptions& tls, Page& page) {
  page.line(2, "tls:");
  page.line(3, "verify", tls.verify ? "full" : "none");
  if (!tls.ca.empty()) page.line(3, "ca", in_yaml(tls.ca));
  if (!tls.server_name.empty()) page.line(3, "server_name", in_yaml(tls.server_name));
  describe_own(3, tls.own, page);
}

void describe_listeners(const std::vector<proxy::ListenerOptions>& listeners, Page& page) {
  page.line(0, "listen:");
  for (const auto& [listener, peers, auth_file, tls] : listeners) {
    page.line(1, "- address", in_yaml(listener.endpoint.text()));
    if (listener.unix_mode != 0) page.line(2, "mode", in_octal(listener.unix_mode));
    if (listener.unix_uid) page.line(2, "owner", std::to_string(*listener.unix_uid));
    if (listener.unix_gid) page.line(2, "group", std::to_string(*listener.unix_gid));
    page.line(2, "backlog", std::to_string(listener.backlog));
    describe_peers(peers, page);
    if (!auth_file.empty()) page.line(2, "auth", in_yaml(auth_file));
    if (tls) describe_server_tls(tls->options(), page);
  }
}

void describe_common(const upstream::ServerOptions& server, Page& page) {
  page.line(2, "connections", std::to_string(server.connections));
  page.line(2, "large_value", server.large_value);
  page.line(2, "timeouts:");
  page.line(3, "connect", server.connect_timeout);
  page.line(3, "response", server.response_timeout);
  page.line(3, "request", server.request_timeout);
  page.line(2, "timeout_recovery", server.timeout_recovery ? "true" : "false");
  page.line(2, "gather_gets", server.gather_gets ? "true" : "false");
  page.line(2, "stall_min", server.stall_min);
  if (server.tls) describe_client_tls(server.tls->options(), page);
  page.line(2, "health:");
  page.line(3, "max_failures", std::to_string(server.health.max_failures));
  page.line(3, "down_retry_delay", server.health.down_retry_delay);
  page.line(3, "down_retry_delay_max", server.health.down_retry_delay_max);
  page.line(3, "flush_on_return", server.health.flush_on_return ? "true" : "false");
}

std::string_view name_of(const routing::PoolOptions& pool) {
  switch (pool.past_down) {
    case routing::PastDown::Eject:
      return "eject";
    case routing::PastDown::Rehash:
      return "rehash";
    case routing::PastDown::Next:
      return "next";
    case routing::PastDown::Stay:
      break;
  }
  return pool.on_down == protocol::DownPolicy::Error ? "error" : "miss";
}

void describe_source(const routing::SourceOptions& source, Page& page) {
  using Kind = routing::SourceOptions::Kind;
  page.line(2, "servers:");
  if (source.kind == Kind::Dns) page.line(3, "dns", in_yaml(source.at.text()));
  if (source.kind == Kind::Srv) page.line(3, "srv", in_yaml(source.at.host));
  if (source.kind == Kind::ElastiCache) {
    page.line(3, "elasticache", in_yaml(source.at.text()));
    page.line(3, "poll", source.poll);
  }
  page.line(3, "hold_down", source.hold_down);
}

void describe_resolver(const Config& config, Page& page) {
  page.line(0, "resolver:");
  if (!config.resolver.servers.empty()) page.line(1, "servers:");
  for (const net::Endpoint& server : config.resolver.servers) {
    page.line(2, "- " + in_yaml(server.text()));
  }
  page.line(1, "timeout", config.resolver.timeout);
  page.line(1, "tries", std::to_string(config.resolver.tries));
  page.line(1, "ttl_min", config.ttl_limits.ttl_min);
  page.line(1, "ttl_max", config.ttl_limits.ttl_max);
}

void describe_pool(const routing::PoolOptions& pool, Page& page) {
  page.line(1, in_yaml(pool.name) + ":");
  if (pool.source.kind != routing::SourceOptions::Kind::List) describe_source(pool.source, page);
  if (!pool.servers.empty()) page.line(2, "servers:");
  for (const routing::PoolServer& entry : pool.servers) {
    page.line(3, "- address", in_yaml(entry.server.endpoint.text()));
    if (!entry.given_name.empty()) page.line(4, "name", in_yaml(entry.given_name));
    if (!entry.ip.empty()) page.line(4, "ip", in_yaml(entry.ip));
    page.line(4, "weight", std::to_string(entry.weight));
    page.line(4, "state", entry.is_up ? "up" : "down");
  }
  page.line(2, "placement", pool.placement_text);
  describe_common(pool.servers.empty() ? pool.common : pool.servers.front().server, page);
  page.line(2, "on_down", name_of(pool));
}

void describe_limits(const proxy::ClientOptions& client, ByteCount memory_max, Page& page) {
  page.line(0, "limits:");
  page.line(1, "value", client.limits.value_max);
  page.line(1, "key", client.limits.key_max);
  page.line(1, "line", client.limits.line_max);
  page.line(1, "get_line", client.limits.get_line_max);
  page.line(1, "get_keys", std::to_string(client.limits.get_keys_max));
  page.line(1, "clients", std::to_string(client.clients_max));
  page.line(1, "memory", memory_max);
  page.line(1, "client_output", client.output_high_water);
  page.line(1, "client_stuck", client.stuck_timeout);
  page.line(1, "client_in_flight", std::to_string(client.in_flight_max));
  page.line(1, "client_request", client.request_time_max);
  page.line(1, "client_idle", client.idle_max);
  page.line(1, "auth_time", client.auth.time_max);
  page.line(1, "auth_tries", std::to_string(client.auth.tries_max));
  page.line(1, "auth_delay", client.auth.failure_delay);
}

}  // namespace

std::string describe(const Config& config) {
  Page page;
  describe_listeners(config.worker.listeners, page);
  page.line(0, "workers", std::to_string(config.workers));
  page.line(0, "io", config.io);
  const bool asks = config.worker.client.version == proxy::VersionPolicy::Servers;
  page.line(0, "version", asks ? "servers" : "ours");
  page.line(0, "pools:");
  for (const auto& pool : config.worker.pools) describe_pool(pool, page);
  page.line(0, "route", route_in_yaml(config.worker.route));
  describe_limits(config.worker.client, config.memory_max, page);
  describe_resolver(config, page);
  page.line(0, "shutdown:");
  page.line(1, "drain_timeout", config.worker.drain_timeout);
  page.line(0, "log:");
  page.line(1, "level", to_string(config.log.level));
  page.line(1, "format", name_of(config.log.format));
  page.line(1, "metrics_interval", config.metrics_interval);
  page.line(1, "file", in_yaml(config.log.file));
  return page.take();
}

}  // namespace mcsteady::config
