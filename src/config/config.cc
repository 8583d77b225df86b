#include "mcsteady/config/config.h"

#include <algorithm>
#include <array>

#include "config/endpoints.h"
#include "config/pools.h"
#include "config/read_file.h"
#include "config/routes.h"
#include "config/section.h"
#include "config/sources.h"
#include "config/units.h"
#include "config/words.h"
#include "config/yaml_tree.h"

namespace mcsteady::config {
namespace {

constexpr std::string_view kSmallest = "pools: { main: { servers: [host:11211] } }";

constexpr std::array<std::string_view, 4> kIoMethods = {"auto", "epoll", "poll", "select"};
constexpr std::array<std::string_view, 1> kLaterIoMethods = {"io_uring"};
constexpr std::array<Choice<LogLevel>, 5> kLogLevels = {{{"trace", LogLevel::Trace},
                                                         {"debug", LogLevel::Debug},
                                                         {"info", LogLevel::Info},
                                                         {"warn", LogLevel::Warn},
                                                         {"error", LogLevel::Error}}};
constexpr std::array<Choice<LogOptions::Format>, 2> kLogFormats = {
    {{"text", LogOptions::Format::Text}, {"json", LogOptions::Format::Json}}};

constexpr std::array<Choice<proxy::VersionPolicy>, 2> kVersionPolicies = {
    {{"ours", proxy::VersionPolicy::Ours}, {"servers", proxy::VersionPolicy::Servers}}};

std::vector<proxy::ListenerOptions> default_listeners() {
  proxy::ListenerOptions listener;
  listener.socket.endpoint.host = "127.0.0.1";
  listener.socket.endpoint.port = 11211;
  return {listener};
}

void read_io(Section& top, std::string& io) {
  std::vector<Choice<std::string_view>> methods;
  methods.reserve(kIoMethods.size());
  for (const std::string_view method : kIoMethods) methods.push_back({method, method});
  std::string_view chosen = io;
  top.read_choice<std::string_view>("io", chosen, methods, kLaterIoMethods);
  io = std::string(chosen);
}

/// `smaller` must not be above `larger`; the error stands at the first of them that is given.
void check_order(Section& limits, std::string_view smaller, ByteCount small,
                 std::string_view larger, ByteCount large) {
  if (small <= large) return;
  const std::string_view key = limits.has(smaller) ? smaller : larger;
  const std::string_view other = limits.has(smaller) ? larger : smaller;
  const ByteCount value = limits.has(smaller) ? small : large;
  const ByteCount against = limits.has(smaller) ? large : small;
  limits.error(limits.mark_of(key), key,
               to_text(value) + " is " + (key == smaller ? "more" : "less") + " than " +
                   std::string(other) + " (" + to_text(against) + ")");
}

void read_limits(Section& top, Config& config) {
  proxy::ClientOptions& client = config.worker.client;
  Section limits = top.subsection("limits");
  limits.read_size("value", client.limits.value_max, {ByteCount{1}, MiB(1024)});
  limits.read_size("key", client.limits.key_max, {ByteCount{1}, ByteCount{250}});
  limits.read_size("line", client.limits.line_max, {KiB(1), MiB(1)});
  limits.read_size("get_line", client.limits.get_line_max, {KiB(1), MiB(64)});
  limits.read_number("get_keys", client.limits.get_keys_max, {1, 100000000});
  limits.read_number("clients", client.clients_max, {1, 1000000});
  limits.read_size("memory", config.memory_max, {MiB(1), MiB(1 << 20)});
  limits.read_size("client_output", client.output_high_water, {KiB(4), MiB(1024)});
  limits.read_duration("client_stuck", client.stuck_timeout, Zero::Refused);
  limits.read_number("client_in_flight", client.in_flight_max, {1, 1024});
  limits.read_duration("client_request", client.request_time_max, Zero::Allowed);
  limits.read_duration("client_idle", client.idle_max, Zero::Allowed);
  limits.read_duration("auth_time", client.auth.time_max, Zero::Allowed);
  limits.read_number("auth_tries", client.auth.tries_max, {1, 1000});
  limits.read_duration("auth_delay", client.auth.failure_delay, Zero::Allowed);
  if (limits.is_sound()) {
    check_order(limits, "value", client.limits.value_max, "memory", config.memory_max);
    check_order(limits, "client_output", client.output_high_water, "memory", config.memory_max);
    check_order(limits, "line", client.limits.line_max, "get_line", client.limits.get_line_max);
  }
  limits.finish();
}

void read_shutdown(Section& top, Config& config) {
  Section shutdown = top.subsection("shutdown");
  shutdown.read_duration("drain_timeout", config.worker.drain_timeout, Zero::Allowed);
  shutdown.finish();
}

void read_log(Section& top, Config& config) {
  Section log = top.subsection("log");
  log.read_choice<LogLevel>("level", config.log.level, kLogLevels);
  log.read_choice<LogOptions::Format>("format", config.log.format, kLogFormats);
  log.read_duration("metrics_interval", config.metrics_interval, Zero::Allowed);
  log.read_text("file", config.log.file);
  log.finish();
}

/// A file with one pool need not say where requests go, nor one that calls a pool main.
void read_route(Section& top, proxy::WorkerOptions& worker, ErrorList& errors) {
  std::string zone;
  top.read_text("zone", zone);
  const auto route = top.find("route");
  const auto named = top.find("routes");
  RouteReader reader(worker.pools, named ? named->value : nullptr, std::move(zone), errors);
  if (route) {
    worker.route = reader.read(*route->value);
  } else {
    if (worker.pools.empty() || top.has("route")) return;
    worker.route = std::string(is_pool(worker.pools, "main") ? "main" : worker.pools.front().name);
    if (worker.pools.size() > 1 && worker.route.text != "main") {
      top.error(top.mark_of("pools"), "route",
                "missing, and there are several pools; name one of " + names_of(worker.pools));
    }
  }
  reader.read_unused();
}

void read_pools_and_route(Section& top, Config& config, ErrorList& errors) {
  proxy::WorkerOptions& worker = config.worker;
  if (const auto pools = top.find("pools")) {
    worker.pools = read_pools(*pools->value, worker.client.limits.value_max, config.tls, errors);
  } else if (!top.has("pools")) {
    top.error({}, "pools", "missing; the smallest useful file is " + std::string(kSmallest));
  }
  read_route(top, worker, errors);
}

void read_listen(Section& top, Config& config, ErrorList& errors) {
  const auto listen = top.find("listen");
  config.worker.listeners =
      listen ? read_listeners(*listen->value, config.tls, errors) : default_listeners();
  for (auto& listener : config.worker.listeners) {
    listener.socket.share_port = config.workers > 1 && !listener.socket.endpoint.is_unix();
  }
}

Config read_config(const YamlNode& root, ErrorList& errors) {
  Config config;
  Section top(&root, "the file", errors);
  if (root.kind != YamlNode::Kind::Map) return config;
  top.read_number("workers", config.workers, {1, 256});
  config.worker.workers = config.workers;
  read_io(top, config.io);
  top.read_choice<proxy::VersionPolicy>("version", config.worker.client.version, kVersionPolicies);
  read_listen(top, config, errors);
  read_limits(top, config);  // before the pools, whose servers share the limit of a value
  read_pools_and_route(top, config, errors);
  read_resolver(top, config.resolver, config.ttl_limits);
  read_shutdown(top, config);
  read_log(top, config);
  top.refuse_for_now("admin");
  top.finish();
  return config;
}

}  // namespace

std::string ConfigError::text() const {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message;
}

Result<Config, std::vector<ConfigError>> parse_config(std::string_view yaml,
                                                      const std::string& file) {
  ErrorList errors(file);
  Config config;
  if (yaml.size() > kFileMax) {
    errors.add({}, "the file has more than 1MiB; no configuration needs that");
  } else if (const auto tree = read_yaml(yaml); !tree) {
    errors.add(tree.error().mark, tree.error().message);
  } else if (tree->root == nullptr || tree->root->kind == YamlNode::Kind::Null) {
    errors.add({}, "the file is empty; the smallest useful one is " + std::string(kSmallest));
  } else {
    config = read_config(*tree->root, errors);
  }
  if (errors.size() != 0) return Unexpected{errors.take()};
  return config;
}

Config default_config() {
  Config config;
  config.worker.listeners = default_listeners();
  upstream::ServerOptions server;
  server.endpoint.host = "127.0.0.1";
  server.endpoint.port = 11212;
  server.name = server.endpoint.text();
  routing::PoolOptions pool;
  pool.name = "main";
  pool.servers.push_back({.server = server, .weight = 1});
  config.worker.pools.push_back(pool);
  config.worker.route = pool.name;
  return config;
}

}  // namespace mcsteady::config
