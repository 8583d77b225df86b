#include "mcsteady/config/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "config/errors.h"
#include "support/source_dir.h"

namespace mcsteady::config {
namespace {

using namespace std::chrono_literals;

const std::string kFolder = test::source_dir() + "/config/";

// No key has its default.
constexpr const char* kNothingIsDefault = R"(listen:
  - address: unix:/run/mcsteady.sock
    mode: "0660"
    owner: root
    group: 50
    backlog: 7
    peers: { uid: [33, root], gid: [50] }
    auth: /etc/mcsteady/users
  - "[::1]:11219"
  - unix:@mcsteady
workers: 3
io: poll
version: servers
pools:
  first:
    servers:
      - { address: 10.0.0.1:11211, name: cache-a, weight: 5, state: up }
      - cache-b.example.com:11212
      - /run/memcached.sock
    placement: modula
    connections: 4
    timeouts: { connect: 1ms, response: 2ms, request: 3ms }
    timeout_recovery: false
    gather_gets: false
    stall_min: 4ms
    health: { max_failures: 5, down_retry_delay: 6s, down_retry_delay_max: 7s }
    on_down: error
  second: { servers: ["[2001:db8::1]:11211"] }
route: second
limits:
  value: 1MiB
  key: 100B
  line: 2KiB
  get_line: 3KiB
  clients: 11
  memory: 64MiB
  client_output: 12KiB
  client_stuck: 13s
  get_keys: 18
  client_in_flight: 19
  client_request: 20s
  client_idle: 21s
  auth_time: 22s
  auth_tries: 16
  auth_delay: 17s
shutdown: { drain_timeout: 14s }
log: { level: debug, format: json, metrics_interval: 15s, file: /var/log/mcsteady.log }
)";

Config parse(std::string_view yaml) {
  EXPECT_EQ(errors_in(yaml), "");
  return parse_config(yaml, "f").value_or(Config{});
}

TEST(Config, EveryServerGetsWhatItsPoolSays) {
  const Config config = parse(kNothingIsDefault);

  ASSERT_EQ(config.worker.pools.size(), 2u);
  const routing::PoolOptions& pool = config.worker.pools[0];
  EXPECT_EQ(pool.name, "first");
  EXPECT_EQ(pool.placement.kind, placement::PlacementOptions::Kind::Modula);
  EXPECT_EQ(pool.on_down, protocol::DownPolicy::Error);
  ASSERT_EQ(pool.servers.size(), 3u);
  for (const auto& entry : pool.servers) {
    const upstream::ServerOptions& server = entry.server;
    EXPECT_EQ(server.connections, 4);
    EXPECT_EQ(server.connect_timeout, 1ms);
    EXPECT_EQ(server.response_timeout, 2ms);
    EXPECT_EQ(server.request_timeout, 3ms);
    EXPECT_FALSE(server.timeout_recovery);
    EXPECT_FALSE(server.gather_gets);
    EXPECT_EQ(server.stall_min, 4ms);
    EXPECT_EQ(server.value_max, MiB(1));
    EXPECT_EQ(server.health.max_failures, 5);
    EXPECT_EQ(server.health.down_retry_delay, 6s);
    EXPECT_EQ(server.health.down_retry_delay_max, 7s);
  }
}

TEST(Config, AServerIsCalledByItsAddressUntilItHasAName) {
  const auto servers = parse(kNothingIsDefault).worker.pools.at(0).servers;

  EXPECT_EQ(servers[0].server.name, "cache-a");
  EXPECT_EQ(servers[0].weight, 5u);
  EXPECT_EQ(servers[0].server.endpoint, (net::Endpoint{"10.0.0.1", 11211, ""}));
  EXPECT_EQ(servers[1].server.name, "cache-b.example.com:11212");
  EXPECT_EQ(servers[1].weight, 1u);
  EXPECT_EQ(servers[2].server.name, "/run/memcached.sock");
  EXPECT_TRUE(servers[2].server.endpoint.is_unix());
}

TEST(Config, ListenersAreTcpOrUnixAndShareAPortOnlyWhenWorkersDo) {
  const auto listeners = parse(kNothingIsDefault).worker.listeners;

  ASSERT_EQ(listeners.size(), 3u);
  EXPECT_EQ(listeners[0].socket.endpoint.unix_path, "/run/mcsteady.sock");
  EXPECT_EQ(listeners[0].socket.unix_mode, 0660u);
  EXPECT_EQ(listeners[0].socket.backlog, 7);
  EXPECT_EQ(listeners[0].peers.uids, (std::vector<uid_t>{33, 0}));
  EXPECT_EQ(listeners[0].peers.gids, (std::vector<gid_t>{50}));
  EXPECT_EQ(listeners[0].auth_file, "/etc/mcsteady/users");
  EXPECT_FALSE(listeners[0].socket.share_port);
  EXPECT_EQ(listeners[1].socket.endpoint, (net::Endpoint{"::1", 11219, ""}));
  EXPECT_TRUE(listeners[1].socket.share_port);
  EXPECT_EQ(listeners[2].socket.endpoint.unix_path, "@mcsteady");

  const Config alone = parse("pools: { main: { servers: [a:1] } }");
  EXPECT_FALSE(alone.worker.listeners.at(0).socket.share_port);
}

TEST(Config, WhatIsOfTheWholeProcessIsRead) {
  const Config config = parse(kNothingIsDefault);

  EXPECT_EQ(config.workers, 3);
  EXPECT_EQ(config.io, "poll");
  EXPECT_EQ(config.worker.client.version, proxy::VersionPolicy::Servers);
  EXPECT_EQ(config.worker.route.text, "second");
  EXPECT_EQ(config.worker.client.limits.value_max, MiB(1));
  EXPECT_EQ(config.worker.client.limits.key_max, ByteCount{100});
  EXPECT_EQ(config.worker.client.limits.line_max, KiB(2));
  EXPECT_EQ(config.worker.client.limits.get_line_max, KiB(3));
  EXPECT_EQ(config.worker.client.clients_max, 11u);
  EXPECT_EQ(config.memory_max, MiB(64));
  EXPECT_EQ(config.worker.client.output_high_water, KiB(12));
  EXPECT_EQ(config.worker.client.stuck_timeout, 13s);
  EXPECT_EQ(config.worker.client.limits.get_keys_max, 18u);
  EXPECT_EQ(config.worker.client.in_flight_max, 19u);
  EXPECT_EQ(config.worker.client.request_time_max, 20s);
  EXPECT_EQ(config.worker.client.idle_max, 21s);
  EXPECT_EQ(config.worker.client.auth.time_max, 22s);
  EXPECT_EQ(config.worker.client.auth.tries_max, 16);
  EXPECT_EQ(config.worker.client.auth.failure_delay, 17s);
  EXPECT_EQ(config.worker.drain_timeout, 14s);
  EXPECT_EQ(config.log.level, LogLevel::Debug);
  EXPECT_EQ(config.log.format, LogOptions::Format::Json);
  EXPECT_EQ(config.metrics_interval, 15s);
  EXPECT_EQ(config.log.file, "/var/log/mcsteady.log");
}

TEST(Config, TheOnlyPoolOrTheOneCalledMainNeedsNoRoute) {
  EXPECT_EQ(parse("pools: { a: { servers: [a:1] } }").worker.route.text, "a");
  EXPECT_EQ(parse("pools: { a: { servers: [a:1] }, main: { servers: [b:1] } }").worker.route.text,
            "main");
}

TEST(Config, WithoutAFileItListensOn11211InFrontOf11212) {
  const Config config = default_config();

  EXPECT_EQ(config.worker.listeners.at(0).socket.endpoint.text(), "127.0.0.1:11211");
  EXPECT_EQ(config.worker.pools.at(0).servers.at(0).server.endpoint.text(), "127.0.0.1:11212");
}

TEST(Description, ReadsBackAsWhatItDescribes) {
  const std::string description = describe(parse(kNothingIsDefault));

  EXPECT_EQ(describe(parse(description)), description);
}

TEST(Description, SpellsOutEveryKeyThatAFileMayHold) {
  // Each line of the file with nothing default differs from what a default file gives, so a key
  // that describe() forgot would come back with its default.
  const Config read_back = parse(describe(parse(kNothingIsDefault)));

  EXPECT_EQ(read_back.worker.listeners.at(0).socket.backlog, 7);
  EXPECT_EQ(read_back.worker.listeners.at(0).auth_file, "/etc/mcsteady/users");
  EXPECT_EQ(read_back.worker.listeners.at(0).peers.uids, (std::vector<uid_t>{33, 0}));
  EXPECT_EQ(read_back.worker.listeners.at(0).socket.unix_mode, 0660u);
  EXPECT_EQ(read_back.worker.listeners.at(0).socket.unix_uid, 0u);
  EXPECT_EQ(read_back.worker.listeners.at(0).socket.unix_gid, 50u);
  EXPECT_EQ(read_back.worker.pools.at(0).servers.at(0).weight, 5u);
  EXPECT_EQ(read_back.worker.pools.at(0).servers.at(0).server.stall_min, 4ms);
  EXPECT_EQ(read_back.worker.client.limits.get_line_max, KiB(3));
  EXPECT_EQ(read_back.worker.client.stuck_timeout, 13s);
  EXPECT_EQ(read_back.log.file, "/var/log/mcsteady.log");
}

TEST(Description, QuotesWhatYamlWouldReadOtherwise) {
  Config config = default_config();
  config.log.file = "a: \"b\\ #c";
  EXPECT_EQ(parse(describe(config)).log.file, config.log.file);

  config.log.file = "null";
  EXPECT_EQ(parse(describe(config)).log.file, "null");
}

TEST(ConfigFiles, TheFullExampleShowsEveryKeyWithItsDefault) {
  const auto config = load_config(kFolder + "mcsteady.full.yaml");
  ASSERT_TRUE(config) << config.error().front().text();
  EXPECT_EQ(describe(*config), describe(default_config()));

  std::ifstream file(kFolder + "mcsteady.full.yaml");
  std::stringstream text;
  text << file.rdbuf();
  std::istringstream description(describe(default_config()));
  for (std::string line; std::getline(description, line);) {
    EXPECT_NE(text.str().find("\n" + line), std::string::npos) << line;
  }
}

TEST(ConfigFiles, TheMinimalExampleIsTheDefault) {
  const auto config = load_config(kFolder + "mcsteady.minimal.yaml");

  ASSERT_TRUE(config) << config.error().front().text();
  EXPECT_EQ(describe(*config), describe(default_config()));
}

TEST(ConfigFiles, AFileThatCannotBeReadIsAnErrorAtItsStart) {
  const auto missing = load_config("/nonexistent/mcsteady.yaml");
  const auto folder = load_config(kFolder);

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().at(0).text(),
            "/nonexistent/mcsteady.yaml:1:1: cannot be read: No such file or directory");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().at(0).text(), kFolder + ":1:1: cannot be read: Is a directory");
}

TEST(Config, LeavesOutServersThatDrain) {
  const auto servers = parse("pools: { m: { servers: [{ address: a:1, state: drain }, b:1] } }")
                           .worker.pools[0]
                           .servers;
  ASSERT_EQ(servers.size(), 1U);
  EXPECT_EQ(servers[0].server.endpoint.host, "b");
}

TEST(Config, FailsAsAnotherProxyOrClientDoes) {
  const auto pool = [](const std::string& text) {
    return parse("pools: { m: { servers: [a:1], " + text + " } }").worker.pools.front();
  };
  const auto dalli = pool("like: dalli");
  EXPECT_EQ(dalli.past_down, routing::PastDown::Rehash);
  EXPECT_EQ(dalli.servers[0].server.response_timeout, 1s);
  EXPECT_EQ(dalli.servers[0].server.request_timeout, 0s);
  EXPECT_EQ(dalli.servers[0].server.health.max_failures, 2);

  const auto mcrouter = pool("like: mcrouter").servers[0].server.health;
  EXPECT_EQ(mcrouter.down_retry_delay, 10s);
  EXPECT_EQ(mcrouter.down_retry_delay_max, 60s);
  EXPECT_EQ(pool("like: libmemcached").servers[0].server.health.down_retry_delay, 2s);
  EXPECT_EQ(pool("like: memcached-proxy").servers[0].server.connect_timeout, 5s);
  EXPECT_EQ(pool("like: twemproxy").on_down, protocol::DownPolicy::Error);
}

TEST(Config, WhatIsWrittenBesideALikeWins) {
  const auto pool = parse(
                        "pools: { m: { like: mcrouter, servers: [a:1], on_down: eject, "
                        "timeouts: { response: 100ms, request: 2s }, "
                        "health: { max_failures: 7, down_retry_delay: 1s } } }")
                        .worker.pools.front();
  const auto& server = pool.servers[0].server;
  EXPECT_EQ(pool.past_down, routing::PastDown::Eject);
  EXPECT_EQ(server.response_timeout, 100ms);
  EXPECT_EQ(server.connect_timeout, 1s);
  EXPECT_EQ(server.request_timeout, 2s);
  EXPECT_EQ(server.health.max_failures, 7);
  EXPECT_EQ(server.health.down_retry_delay, 1s);
  EXPECT_EQ(server.health.down_retry_delay_max, 1s);
}

TEST(Config, SaysWhereTheKeysOfADownServerGo) {
  const auto pool = [](const std::string& text) {
    return parse("pools: { m: { servers: [{ address: a:1, state: down }, b:1], " + text + " } }")
        .worker.pools.front();
  };
  EXPECT_EQ(pool("on_down: eject").past_down, routing::PastDown::Eject);
  EXPECT_EQ(pool("on_down: rehash").past_down, routing::PastDown::Rehash);
  EXPECT_EQ(pool("on_down: next").past_down, routing::PastDown::Next);
  EXPECT_EQ(pool("on_down: error").past_down, routing::PastDown::Stay);
  EXPECT_FALSE(pool("on_down: miss").servers[0].is_up);
  EXPECT_TRUE(pool("on_down: miss").servers[1].is_up);
  EXPECT_TRUE(pool("health: { flush_on_return: true }").servers[1].server.health.flush_on_return);
}

}  // namespace
}  // namespace mcsteady::config
