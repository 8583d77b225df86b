#include "mcsteady/routing/pool.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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

}  // namespace
}  // namespace mcsteady::routing
