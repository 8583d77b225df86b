#include "mcsteady/routing/pool.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/capture_log.h"
#include "support/sim_loop.h"

namespace mcsteady::routing {
namespace {

class PoolTest : public testing::Test {
 protected:
  void add_server(const std::string& name, const net::Endpoint& endpoint,
                  std::uint32_t weight = 1) {
    PoolServer entry;
    entry.server.name = name;
    entry.server.endpoint = endpoint;
    entry.weight = weight;
    options_.servers.push_back(entry);
  }
  void add_server(const std::string& name, std::uint16_t port) {
    add_server(name, {.host = "10.0.0.1", .port = port, .unix_path = {}});
  }
  Pool make_pool() { return {options_, context_, fleet_, registry_}; }
  static PoolServer entry(std::uint16_t port, std::uint32_t weight = 1) {
    PoolServer made;
    made.server.endpoint = {.host = "10.0.0.1", .port = port, .unix_path = {}};
    made.server.name = made.server.endpoint.text();
    made.weight = weight;
    return made;
  }
  /// Of servers at these ports.
  MembershipPtr members(std::initializer_list<std::uint16_t> ports) const {
    std::vector<PoolServer> servers;
    for (const std::uint16_t port : ports) servers.push_back(entry(port));
    return make_membership(options_.placement, servers);
  }
  static std::string name_of(Pool& pool, const std::string& key) {
    return pool.server(pool.place(key)).name();
  }

  test::SimNetwork network_{1};
  test::SimLoop loop_{network_};
  net::MemoryBudget budget_{MiB(1)};
  net::BlockPool blocks_{budget_};
  upstream::ExchangePool exchanges_;
  metrics::Histogram loop_lag_;
  upstream::StallBeat beat_{loop_, exchanges_, loop_lag_};
  upstream::Context context_{loop_, blocks_, exchanges_, beat_};
  test::CaptureLog log_;
  upstream::Fleet fleet_{log_, 1};
  metrics::Registry registry_;
  PoolOptions options_;
};

TEST_F(PoolTest, PlacesEveryKeyOnItsOnlyServer) {
  add_server("a", 11211);
  const Pool pool = make_pool();

  EXPECT_EQ(pool.size(), 1U);
  for (const char* key : {"", "a", "some_key"}) EXPECT_EQ(pool.place(key), 0U);
}

TEST_F(PoolTest, SpreadsKeysOverItsServersAsThePlacementSays) {
  std::vector<placement::Node> nodes;
  for (std::uint16_t port = 1; port <= 4; ++port) {
    add_server("s" + std::to_string(port), port);
    nodes.push_back({.host = "10.0.0.1", .port = port, .weight = 1});
  }
  const Pool pool = make_pool();
  const auto expected = placement::make_placement(options_.placement, nodes);
  std::set<std::size_t> used;

  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key" + std::to_string(i);
    EXPECT_EQ(pool.place(key), expected->place(key));
    used.insert(pool.place(key));
  }

  EXPECT_EQ(used.size(), 4U);
}

TEST_F(PoolTest, GivesAHeavierServerMoreKeys) {
  add_server("light", {.host = "10.0.0.1", .port = 1, .unix_path = {}}, 1);
  add_server("heavy", {.host = "10.0.0.2", .port = 1, .unix_path = {}}, 4);
  const Pool pool = make_pool();
  int heavy = 0;

  for (int i = 0; i < 1000; ++i) heavy += pool.place("key" + std::to_string(i)) == 1;

  EXPECT_GT(heavy, 700);
  EXPECT_LT(heavy, 900);
}

TEST_F(PoolTest, PlacesUnixServersByTheirPaths) {
  add_server("a", {.host = {}, .port = 0, .unix_path = "/run/a.sock"});
  add_server("b", {.host = {}, .port = 0, .unix_path = "/run/b.sock"});
  const Pool pool = make_pool();
  std::set<std::size_t> used;

  for (int i = 0; i < 100; ++i) used.insert(pool.place("key" + std::to_string(i)));

  EXPECT_EQ(used.size(), 2U);
}

TEST_F(PoolTest, KeepsItsServersInTheOrderWritten) {
  for (std::uint16_t port = 1; port <= 3; ++port) add_server("s" + std::to_string(port), port);
  Pool pool = make_pool();

  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pool.server(i).name(), "s" + std::to_string(i + 1));
  }
}

TEST_F(PoolTest, RegistersTheMetricsOfEachServerUnderItsName) {
  add_server("a", 1);
  add_server("b", 2);
  const Pool pool = make_pool();

  const metrics::Snapshot now = registry_.snapshot();

  EXPECT_TRUE(now.counters.contains({"server_requests", "a"}));
  EXPECT_TRUE(now.counters.contains({"server_timeouts_recovered", "b"}));
  EXPECT_TRUE(now.counters.contains({"server_failed_server_late", "b"}));
  EXPECT_TRUE(now.gauges.contains({"server_owed", "b"}));
  EXPECT_TRUE(now.histograms.contains({"server_response_time", "a"}));
}

TEST_F(PoolTest, SharesAServersRecordWithAnotherPool) {
  add_server("a", 1);
  const Pool first = make_pool();
  const Pool second = make_pool();

  EXPECT_EQ(fleet_.servers().size(), 1U);
}

TEST_F(PoolTest, SaysWhatClientsGetWhileAServerIsDown) {
  add_server("a", 1);
  options_.on_down = protocol::DownPolicy::Error;

  EXPECT_EQ(make_pool().on_down(), protocol::DownPolicy::Error);
}

TEST_F(PoolTest, HasOneThatIsDownWhileNoServerHasBeenFound) {
  options_.source = {.kind = SourceOptions::Kind::Dns,
                     .at = {.host = "cache", .port = 11211, .unix_path = {}}};
  Pool pool = make_pool();

  upstream::Server& nobody = pool.server(pool.place("key"));

  EXPECT_TRUE(nobody.is_down());
  EXPECT_EQ(nobody.name(), "dns:cache:11211");
  EXPECT_EQ(pool.members().size(), 1U);
  EXPECT_TRUE(fleet_.servers().empty());
}

TEST_F(PoolTest, MovesOnlyTheKeysOfServersThatComeOrGo) {
  Pool pool = make_pool();
  pool.change(members({1, 2, 3}));
  std::map<std::string, std::string> before;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key" + std::to_string(i);
    before[key] = name_of(pool, key);
  }

  pool.change(members({1, 3, 4}));
  int moved = 0;

  for (const auto& [key, name] : before) {
    const std::string now = name_of(pool, key);
    if (now == name) continue;
    ++moved;
    EXPECT_TRUE(name == "10.0.0.1:2" || now == "10.0.0.1:4") << name << " to " << now;
  }
  EXPECT_GT(moved, 200);
}

TEST_F(PoolTest, KeepsTheIndexAndTheRecordOfAServerThatStays) {
  Pool pool = make_pool();
  pool.change(members({1, 2, 3}));
  const std::size_t index = pool.members()[2];
  const upstream::Server* const server = &pool.server(index);

  pool.change(members({2, 3}));

  ASSERT_EQ(pool.members().size(), 2U);
  EXPECT_EQ(pool.members()[1], index);
  EXPECT_EQ(&pool.server(index), server);
}

TEST_F(PoolTest, KeepsAServerThatLeftForAWhileAndThenForgetsIt) {
  Pool pool = make_pool();
  pool.change(members({1, 2}));
  pool.change(members({2}));
  EXPECT_EQ(fleet_.servers().size(), 2U);

  loop_.run_for(Pool::kLinger + std::chrono::seconds(1));

  ASSERT_EQ(fleet_.servers().size(), 1U);
  EXPECT_EQ(fleet_.servers().front()->name(), "10.0.0.1:2");
  EXPECT_FALSE(registry_.snapshot().counters.contains({"server_requests", "10.0.0.1:1"}));
}

TEST_F(PoolTest, TakesBackAServerThatReturnsInTime) {
  Pool pool = make_pool();
  pool.change(members({1, 2}));
  const upstream::Server* const first = &pool.server(pool.members()[0]);
  pool.change(members({2}));
  loop_.run_for(Pool::kLinger / 2);

  pool.change(members({1, 2}));
  loop_.run_for(Pool::kLinger * 3);

  EXPECT_EQ(&pool.server(pool.members()[0]), first);
}

TEST_F(PoolTest, GivesAFreeIndexToTheNextThatComes) {
  Pool pool = make_pool();
  for (std::uint16_t port = 1; port < 50; ++port) {
    pool.change(members({port, static_cast<std::uint16_t>(port + 1)}));
    loop_.run_for(Pool::kLinger * 2);
  }

  EXPECT_LE(pool.size(), 4U);
}

TEST_F(PoolTest, IsNeverEmptied) {
  Pool pool = make_pool();
  pool.change(members({1, 2}));

  pool.change(members({}));

  EXPECT_EQ(pool.members().size(), 2U);
}

}  // namespace
}  // namespace mcsteady::routing
