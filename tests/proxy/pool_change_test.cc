// Servers that join and leave the pool of a running worker.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class PoolChangeTest : public WorkerTest {
 protected:
  /// The pool has these of the servers from now on.
  void change(const std::vector<std::size_t>& indices) {
    std::vector<routing::PoolServer> members;
    for (const std::size_t index : indices) members.push_back(pool.servers[index]);
    worker->change_pool(pool.name, routing::make_membership(pool.placement, members));
  }
  /// Discovery is to find the servers.
  void start_empty(std::size_t server_count) {
    for (std::size_t i = 0; i < server_count; ++i) {
      servers.push_back(std::make_unique<ScriptedServer>(server_side, place_of(i)));
      server.name = "server" + std::to_string(i);
      server.endpoint = place_of(i);
      records.push_back(fleet.server(server.name, server.endpoint, server.health));
      records.back()->set_address(*net::numeric_address(server.endpoint));
      pool.servers.push_back({.server = server});
    }
    routing::PoolOptions empty = pool;
    empty.servers.clear();
    empty.source = {.kind = routing::SourceOptions::Kind::Dns,
                    .at = {.host = "cache", .port = 11211, .unix_path = {}}};
    options.pools = {empty};
    memory.emplace(ceiling);
    shared.emplace(fleet, *memory, registry, *stats_source, log, "1.0-test");
    worker = std::make_unique<proxy::Worker>(options, proxy_side, *shared);
    ASSERT_TRUE(worker->listen(0, 1));
  }

  std::vector<upstream::Fleet::ServerPtr> records;
};

TEST_F(PoolChangeTest, ALeavingServerFinishesWhatItHas) {
  start(3);
  const std::string key = key_on(1);
  store(key, "here");
  servers[1]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  client.send("get " + key + "\r\n");
  run_for(5ms);

  change({0, 2});
  run_for(100ms);

  EXPECT_EQ(client.take_received(), item(key, "here") + "END\r\n");
  EXPECT_EQ(servers[1]->connections(), 0U);
}

TEST_F(PoolChangeTest, AMultiGetThatIsUnderWayEndsAsItBegan) {
  start(3);
  std::string request = "get";
  std::string expected;
  for (std::size_t i = 0; i < 3; ++i) {
    store(key_on(i), "v");
    request += " " + key_on(i);
    expected += item(key_on(i), "v");
    servers[i]->next(ServerAct::answer_after(20ms));
  }
  SimPeer& client = connect();
  client.send(request + "\r\n");
  run_for(5ms);

  change({2});
  run_for(100ms);

  EXPECT_EQ(client.take_received(), expected + "END\r\n");
}

TEST_F(PoolChangeTest, NewRequestsGoWhereTheNewPlacementSays) {
  start(3);
  SimPeer& client = connect();
  change({0, 2});

  for (int i = 0; i < 50; ++i) ask(client, "get " + key_on(1, i) + "\r\n");

  EXPECT_TRUE(servers[1]->requests().empty());
  EXPECT_GT(servers[0]->count("get"), 0U);
  EXPECT_GT(servers[2]->count("get"), 0U);
}

TEST_F(PoolChangeTest, AllOfTheServersMeansThoseThatAreMembersNow) {
  start(3);
  SimPeer& client = connect();
  change({0, 2});

  EXPECT_EQ(ask(client, "flush_all\r\n"), "OK\r\n");

  EXPECT_EQ(servers[0]->count("flush_all"), 1U);
  EXPECT_EQ(servers[1]->count("flush_all"), 0U);
  EXPECT_EQ(servers[2]->count("flush_all"), 1U);
}

TEST_F(PoolChangeTest, RequestsAreAnsweredByPolicyUntilTheFirstServerIsFound) {
  pool.on_down = protocol::DownPolicy::Error;
  start_empty(2);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get a\r\n"),
            "SERVER_ERROR dns:cache:11211: no server has been found yet\r\n");
  EXPECT_EQ(ask(client, "get a b\r\n"),
            "SERVER_ERROR dns:cache:11211: no server has been found yet\r\n");
  EXPECT_EQ(ask(client, "flush_all\r\n"),
            "SERVER_ERROR dns:cache:11211: no server has been found yet\r\n");

  change({0, 1});
  EXPECT_EQ(ask(client, set_request("a", "1")), "STORED\r\n");
  EXPECT_EQ(ask(client, "get a\r\n"), item("a", "1") + "END\r\n");
}

TEST_F(PoolChangeTest, TheNameOfNobodyIsHeardNoMoreOnceServersAreFound) {
  start_empty(1);
  SimPeer& client = connect();
  ask(client, "get a\r\n");
  EXPECT_EQ(counted("unavailable"), 1U);
  change({0});
  run_for(1min);

  const metrics::Snapshot now = registry.snapshot();

  EXPECT_FALSE(now.counters.contains({"server_requests", "dns:cache:11211"}));
  EXPECT_EQ(now.total("server_failed_no_servers"), 1U);
}

TEST_F(PoolChangeTest, GrowsToTwentyAndBackUnderLoad) {
  start(20);
  change({0, 1});
  SimPeer& client = connect();
  std::size_t asked = 0;
  const auto load_with = [&](std::size_t members) {
    std::vector<std::size_t> indices(members);
    for (std::size_t i = 0; i < members; ++i) indices[i] = i;
    for (int i = 0; i < 20; ++i, ++asked) client.send("get key" + std::to_string(asked) + "\r\n");
    change(indices);
    run_for(300us);
  };

  for (std::size_t members = 2; members <= 20; ++members) load_with(members);
  for (std::size_t members = 20; members >= 2; --members) load_with(members);
  run_for(20s);

  EXPECT_EQ(client.take_received(), repeated("END\r\n", static_cast<int>(asked)));
  EXPECT_EQ(registry.snapshot().total("server_incidents"), 0U);
  for (std::size_t i = 2; i < 20; ++i) EXPECT_EQ(servers[i]->connections(), 0U);
  EXPECT_GT(servers[19]->count("get"), 0U);
}

}  // namespace
}  // namespace mcsteady::test
