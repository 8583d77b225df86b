// Pools whose servers are found by name, and the resolver.

#include <gtest/gtest.h>

#include <string>

#include "config/errors.h"
#include "mcsteady/config/config.h"

namespace mcsteady::config {
namespace {

using namespace std::chrono_literals;
using routing::SourceOptions;

Config parse(const std::string& yaml) {
  EXPECT_EQ(errors_in(yaml), "");
  return parse_config(yaml, "f").value();
}
routing::PoolOptions pool_of(const std::string& servers, const std::string& more = "") {
  return parse("pools: { main: { servers: " + servers + more + " } }").worker.pools.at(0);
}

TEST(ConfigSources, ANameOfAddressesIsASource) {
  const routing::PoolOptions pool = pool_of("{ dns: cache.example:11211 }", ", connections: 3");

  EXPECT_EQ(pool.source.kind, SourceOptions::Kind::Dns);
  EXPECT_EQ(pool.source.at.text(), "cache.example:11211");
  EXPECT_EQ(pool.source.hold_down, 10s);
  EXPECT_TRUE(pool.servers.empty());
  EXPECT_EQ(pool.common.connections, 3);
}

TEST(ConfigSources, ANameOfSrvRecordsHasNoPort) {
  const routing::PoolOptions pool = pool_of("{ srv: _memcache._tcp.cache.example, hold_down: 1m }");

  EXPECT_EQ(pool.source.kind, SourceOptions::Kind::Srv);
  EXPECT_EQ(pool.source.at.host, "_memcache._tcp.cache.example");
  EXPECT_EQ(pool.source.hold_down, 1min);
}

TEST(ConfigSources, AClusterIsPolledAndHeldToItsVersion) {
  const SourceOptions source = pool_of("{ elasticache: cfg.example:11211, poll: 30s }").source;

  EXPECT_EQ(source.kind, SourceOptions::Kind::ElastiCache);
  EXPECT_EQ(source.poll, 30s);
  EXPECT_EQ(source.hold_down, 0s);
}

TEST(ConfigSources, ThereIsOneInAPool) {
  const std::string forms = "write { dns: name:port }, { srv: name } or { elasticache: host:port }";
  EXPECT_EQ(errors_in_servers("{ address: a:1 }"),
            "f:1:27: servers: no source of servers; list them, as [host:port], or " + forms + "\n");
  EXPECT_EQ(errors_in_servers("{ dns: a:1, srv: b }"),
            "f:1:39: srv: a second source; " + forms + "\n");
}

TEST(ConfigSources, WhatNamesNothingIsRefused) {
  EXPECT_EQ(errors_in_servers("{ dns: cache }"),
            "f:1:34: dns: 'cache' has no port: write host:port\n");
  EXPECT_EQ(errors_in_servers("{ dns: cache:0 }"),
            "f:1:34: dns: 'cache:0' has port 0; a server's is from 1 to 65535\n");
  EXPECT_EQ(errors_in_servers("{ dns: 10.0.0.1:1 }"),
            "f:1:34: dns: '10.0.0.1:1' is one address, not a name; write servers: [10.0.0.1:1]\n");
  EXPECT_EQ(errors_in_servers("{ elasticache: /run/a }"),
            "f:1:42: elasticache: '/run/a' is a unix socket; write name:port\n");
  EXPECT_EQ(errors_in_servers("{ srv: cache:1 }"),
            "f:1:34: srv: 'cache:1' is no name of SRV records; write one like "
            "_memcache._tcp.cache, without a port\n");
  EXPECT_EQ(errors_in_servers("{ srv: [a] }"),
            "f:1:34: srv: a list where a name like _memcache._tcp.cache belongs\n");
}

TEST(ConfigSources, OnlyAClusterIsPolled) {
  EXPECT_EQ(errors_in_servers("{ dns: a:1, poll: 1m }"),
            "f:1:39: unknown key 'poll'; known here: dns, srv, elasticache, hold_down\n");
}

TEST(ConfigSources, AreDescribedAsTheyAreRead) {
  for (const std::string servers :
       {"{ dns: a:1, hold_down: 3s }", "{ srv: _x._tcp.a }", "{ elasticache: a:1, poll: 3s }"}) {
    const Config config = parse("pools: { main: { servers: " + servers + ", connections: 2 } }");
    EXPECT_EQ(describe(parse(describe(config))), describe(config));
  }
}

TEST(ConfigResolver, HasNameServersByAddressWithAPortIfNeedBe) {
  const Config config = parse(
      "pools: { main: { servers: [a:1] } }\n"
      "resolver:\n"
      "  servers: [10.0.0.10, \"10.0.0.11:5353\", \"2001:db8::1\", \"[2001:db8::2]:53\"]\n"
      "  timeout: 1s\n"
      "  tries: 2\n"
      "  ttl_min: 3s\n"
      "  ttl_max: 4s\n");
  std::string servers;
  for (const auto& server : config.resolver.servers) servers += server.text() + " ";

  EXPECT_EQ(servers, "10.0.0.10:53 10.0.0.11:5353 [2001:db8::1]:53 [2001:db8::2]:53 ");
  EXPECT_EQ(config.resolver.timeout, 1s);
  EXPECT_EQ(config.resolver.tries, 2);
  EXPECT_EQ(config.ttl_limits.ttl_min, 3s);
  EXPECT_EQ(config.ttl_limits.ttl_max, 4s);
  EXPECT_EQ(describe(parse(describe(config))), describe(config));
}

TEST(ConfigResolver, RefusesWhatIsNoAddressAndLimitsTheWrongWayRound) {
  EXPECT_EQ(errors_behind_a_pool("resolver: { servers: [dns.example] }"),
            "f:2:23: servers: 'dns.example' is no name server; write its address, as 10.0.0.10 or "
            "10.0.0.10:53\n");
  EXPECT_EQ(errors_behind_a_pool("resolver: { servers: 10.0.0.1 }"),
            "f:2:22: servers: a single value where a list of addresses belongs; write "
            "[10.0.0.10]\n");
  EXPECT_EQ(errors_behind_a_pool("resolver: { ttl_min: 6m }"),
            "f:2:13: ttl_min: no TTL is from ttl_min (6m) to ttl_max (5m)\n");
}

}  // namespace
}  // namespace mcsteady::config
