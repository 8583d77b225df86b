// Names and pools on a simulated resolver: what workers are told, and when.

#include "mcsteady/discovery/directory.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/capture_log.h"
#include "support/sim_loop.h"
#include "support/sim_resolver.h"

namespace mcsteady::discovery {
namespace {

using namespace std::chrono_literals;
using net::LookupError;
using routing::SourceOptions;

class DirectoryTest : public testing::Test, private Directory::Listener {
 protected:
  DirectoryTest() {
    fleet.set_on_doubt([this] { ++doubts; });
  }

  /// A pool with these servers, all at port 11211.
  void list(const std::vector<std::string>& hosts) {
    routing::PoolOptions pool;
    pool.name = "main";
    for (const std::string& host : hosts) {
      routing::PoolServer entry;
      entry.server.endpoint = {.host = host, .port = 11211, .unix_path = {}};
      entry.server.name = host;
      pool.servers.push_back(entry);
    }
    directory.add(pool);
  }
  void find(SourceOptions::Kind kind, const std::string& host, Duration hold_down = 10s) {
    routing::PoolOptions pool;
    pool.name = "main";
    pool.source.kind = kind;
    pool.source.at = {.host = host, .port = 11211, .unix_path = {}};
    pool.source.hold_down = hold_down;
    directory.add(pool);
  }
  upstream::Fleet::ServerPtr server(const std::string& host) {
    return fleet.server(host, {.host = host, .port = 11211, .unix_path = {}}, {});
  }
  std::string address_of(const std::string& host) {
    const auto address = server(host)->address();
    return address ? address->text() : "none";
  }
  void fail_a_request_of(const std::string& host) {
    server(host)->on_incident({.cause = upstream::Failure::ConnectRefused,
                               .began = loop.now(),
                               .timeout = {},
                               .replies_owed = 0,
                               .bytes_unread = 0,
                               .error_number = 0,
                               .loop_lag = {}},
                              loop.now());
    directory.look_at_doubts();
  }
  std::uint64_t counted(const std::string& name, const std::string& of = "") const {
    return registry.snapshot().counter(name, of);
  }
  std::int64_t gauge(const std::string& name) const {
    return registry.snapshot().gauge(name, "main");
  }
  std::size_t logged(const std::string& line) const { return log.count(line); }

  void on_members(const std::string& pool, routing::MembershipPtr changed) override {
    EXPECT_EQ(pool, "main");
    EXPECT_FALSE(changed->servers.empty());
    ++changes;
    members.clear();
    for (const auto& entry : changed->servers) {
      EXPECT_TRUE(fleet.server(entry.server.name, entry.server.endpoint, {})->address());
      members += (members.empty() ? "" : " ") + entry.server.name;
    }
  }
  void on_addresses_changed() override { ++address_changes; }

  test::SimNetwork network{1};
  test::SimLoop loop{network};
  test::SimResolver resolver{loop};
  test::CaptureLog log;
  upstream::Fleet fleet{log, 1};
  metrics::Registry registry;
  std::string members;
  int changes = 0;
  int address_changes = 0;
  int doubts = 0;
  Directory directory{loop,
                      resolver,
                      fleet,
                      log,
                      registry,
                      TtlLimits{.ttl_min = 5s, .ttl_max = 5min},
                      static_cast<Directory::Listener&>(*this)};
};

TEST_F(DirectoryTest, SetsNumericAddressesAtOnceAndAsksNobody) {
  list({"10.0.0.1"});

  EXPECT_TRUE(directory.is_settled());
  EXPECT_EQ(address_of("10.0.0.1"), "10.0.0.1:11211");
  EXPECT_EQ(resolver.asked("10.0.0.1"), 0);
}

TEST_F(DirectoryTest, FindsNamesAndAsksAgainAsTheirTtlEnds) {
  resolver.set("cache", {"10.0.0.1"}, 60s);
  list({"cache"});
  EXPECT_FALSE(directory.is_settled());
  loop.run_for(1s);
  EXPECT_TRUE(directory.is_settled());
  EXPECT_EQ(address_of("cache"), "10.0.0.1:11211");

  resolver.set("cache", {"10.0.0.2"}, 60s);
  loop.run_for(58s);
  EXPECT_EQ(address_of("cache"), "10.0.0.1:11211");
  loop.run_for(2s);

  EXPECT_EQ(address_of("cache"), "10.0.0.2:11211");
  EXPECT_EQ(address_changes, 2);
  EXPECT_EQ(counted("name_address_changes"), 1U);
  EXPECT_EQ(logged("server has another address"), 1U);
}

TEST_F(DirectoryTest, AsksNoMoreOftenThanTheFloorAllows) {
  resolver.set("cache", {"10.0.0.1"}, 0s);
  list({"cache"});

  loop.run_for(60s);

  EXPECT_GE(resolver.asked("cache"), 11);
  EXPECT_LE(resolver.asked("cache"), 13);
}

TEST_F(DirectoryTest, KeepsTheLastGoodAddressWhileTheResolverFailsAndSaysSoOnceAMinute) {
  resolver.set("cache", {"10.0.0.1"}, 5s);
  list({"cache"});
  loop.run_for(1s);

  resolver.fail_with(LookupError::Kind::Timeout);
  loop.run_for(59s);
  EXPECT_EQ(address_of("cache"), "10.0.0.1:11211");
  EXPECT_GE(counted("name_lookup_failures"), 3U);
  EXPECT_EQ(logged("server name does not resolve, will be tried again"), 1U);

  resolver.recover();
  loop.run_for(31s);
  EXPECT_EQ(logged("server name resolves again"), 1U);
}

TEST_F(DirectoryTest, IsSettledWhereANameDoesNotResolve) {
  list({"nowhere"});

  loop.run_for(1s);

  EXPECT_TRUE(directory.is_settled());
  EXPECT_EQ(address_of("nowhere"), "none");
}

TEST_F(DirectoryTest, LooksANameUpAgainAfterAnIncidentButNotAllTheTime) {
  resolver.set("cache", {"10.0.0.1"}, 5min);
  list({"cache"});
  loop.run_for(1min);
  ASSERT_EQ(resolver.asked("cache"), 1);

  resolver.set("cache", {"10.0.0.2"}, 5min);
  fail_a_request_of("cache");
  loop.run_for(10ms);
  EXPECT_EQ(address_of("cache"), "10.0.0.2:11211");
  EXPECT_EQ(doubts, 1);

  for (int i = 0; i < 100; ++i) {
    fail_a_request_of("cache");
    loop.run_for(100ms);
  }
  EXPECT_LE(resolver.asked("cache"), 5);
}

TEST_F(DirectoryTest, ForgetsANameWhoseServerNobodyUses) {
  resolver.set("node1", {"10.0.0.1"}, 5s);
  resolver.set("node2", {"10.0.0.2"}, 5s);
  resolver.set_services("cache", {.records = {{"node1", 1, 1, 1}, {"node2", 1, 1, 1}}, .ttl = 5s});
  find(SourceOptions::Kind::Srv, "cache", 0s);
  loop.run_for(1s);
  resolver.set_services("cache", {.records = {{"node1", 1, 1, 1}}, .ttl = 5s});
  loop.run_for(10s);
  const int asked = resolver.asked("node2");

  loop.run_for(60s);

  EXPECT_EQ(resolver.asked("node2"), asked);
  EXPECT_EQ(fleet.servers().size(), 1U);
}

TEST_F(DirectoryTest, MakesAPoolOfEachAddressOfAName) {
  resolver.set("cache", {"10.0.0.2", "10.0.0.1"}, 5s);
  find(SourceOptions::Kind::Dns, "cache");

  loop.run_for(1s);

  EXPECT_EQ(members, "10.0.0.1:11211 10.0.0.2:11211");
  EXPECT_EQ(gauge("pool_servers"), 2);
  EXPECT_EQ(counted("pool_joined", "main"), 2U);
  EXPECT_GT(gauge("pool_last_change"), 0);
  EXPECT_EQ(logged("server joins its pool"), 2U);
}

TEST_F(DirectoryTest, SaysNothingWhileTheAnswerIsTheSame) {
  resolver.set("cache", {"10.0.0.2", "10.0.0.1"}, 5s);
  find(SourceOptions::Kind::Dns, "cache");
  loop.run_for(6s);
  resolver.set("cache", {"10.0.0.1", "10.0.0.2"}, 5s);

  loop.run_for(60s);

  EXPECT_EQ(changes, 1);
}

TEST_F(DirectoryTest, LetsAServerLeaveWhenItsHoldDownIsOverWhateverTheTtl) {
  resolver.set("cache", {"10.0.0.1", "10.0.0.2"}, 5s);
  find(SourceOptions::Kind::Dns, "cache");
  loop.run_for(1s);
  resolver.set("cache", {"10.0.0.1"}, 5min);
  loop.run_for(5s);
  EXPECT_EQ(gauge("pool_held"), 1);
  EXPECT_EQ(members, "10.0.0.1:11211 10.0.0.2:11211");

  loop.run_for(11s);

  EXPECT_EQ(members, "10.0.0.1:11211");
  EXPECT_EQ(counted("pool_left", "main"), 1U);
  EXPECT_EQ(logged("server leaves its pool"), 1U);
}

TEST_F(DirectoryTest, KeepsAPoolWhoseSourceFailsOrForgetsIt) {
  resolver.set("cache", {"10.0.0.1", "10.0.0.2"}, 5s);
  find(SourceOptions::Kind::Dns, "cache", 0s);
  loop.run_for(1s);

  resolver.fail_with(LookupError::Kind::Failed);
  loop.run_for(1h);
  resolver.recover();
  resolver.remove("cache");
  loop.run_for(1h);
  resolver.set_services("cache", {});

  EXPECT_EQ(members, "10.0.0.1:11211 10.0.0.2:11211");
  EXPECT_EQ(changes, 1);
  EXPECT_GT(counted("pool_listing_failures", "main"), 100U);
}

TEST_F(DirectoryTest, CountsAnAnswerWithoutServersAndChangesNothing) {
  resolver.set("node", {"10.0.0.1"}, 5s);
  resolver.set_services("cache", {.records = {{"node", 1, 1, 1}}, .ttl = 5s});
  find(SourceOptions::Kind::Srv, "cache", 0s);
  loop.run_for(1s);

  resolver.set_services("cache", {.records = {}, .ttl = 5s});
  loop.run_for(60s);

  EXPECT_EQ(members, "node:1");
  EXPECT_GT(counted("pool_empty_listings", "main"), 0U);
}

TEST_F(DirectoryTest, LetsAServerJoinWhenItsAddressIsKnown) {
  resolver.set("node1", {"10.0.0.1"}, 5s);
  resolver.set_services("cache", {.records = {{"node1", 1, 1, 1}, {"node2", 2, 1, 1}}, .ttl = 5s});
  find(SourceOptions::Kind::Srv, "cache");
  loop.run_for(1s);
  EXPECT_EQ(members, "node1:1");

  resolver.set("node2", {"10.0.0.2"}, 5s);
  loop.run_for(6s);

  EXPECT_EQ(members, "node1:1 node2:2");
}

TEST_F(DirectoryTest, AServerOfAPoolMovesLikeAnyOther) {
  resolver.set("node", {"10.0.0.1"}, 5s);
  resolver.set_services("cache", {.records = {{"node", 11211, 1, 1}}, .ttl = 5min});
  find(SourceOptions::Kind::Srv, "cache");
  loop.run_for(1s);

  resolver.set("node", {"10.0.0.2"}, 5s);
  loop.run_for(5s);

  EXPECT_EQ(address_of("node"), "10.0.0.2:11211");
  EXPECT_EQ(changes, 1);
}

TEST_F(DirectoryTest, AsksTheSourceAgainAfterAnIncidentOfOneOfItsServers) {
  resolver.set("cache", {"10.0.0.1", "10.0.0.2"}, 5min);
  find(SourceOptions::Kind::Dns, "cache", 0s);
  loop.run_for(1min);
  resolver.set("cache", {"10.0.0.2", "10.0.0.3"}, 5min);

  fail_a_request_of("10.0.0.1");
  loop.run_for(10ms);

  EXPECT_EQ(members, "10.0.0.2:11211 10.0.0.3:11211");
}

TEST_F(DirectoryTest, WaitsForAResolverThatHangsWithoutAskingMore) {
  resolver.hang(true);
  resolver.set("cache", {"10.0.0.1"}, 5s);
  find(SourceOptions::Kind::Dns, "cache");
  list({"cache"});

  loop.run_for(1h);

  EXPECT_EQ(resolver.asked("cache"), 2);
  EXPECT_FALSE(directory.is_settled());
}

}  // namespace
}  // namespace mcsteady::discovery
