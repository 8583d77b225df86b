// Where keys go while their server is down, by on_down, and what happens when it is back.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::PastDown;

class PastDownTest : public WorkerTest {
 protected:
  void start_with(PastDown past_down) {
    pool.past_down = past_down;
    server.health.max_failures = 1;
    server.health.down_retry_delay = server.health.down_retry_delay_max = 1s;
    start(4);
  }
  void take_down(std::size_t index) {
    servers[index]->stop();
    ask("get " + key_on(index) + "\r\n");
  }
  /// Where the placement itself says that `key` goes while only server `down` is down.
  std::size_t expected(const std::string& key, std::size_t down) const {
    const routing::MembershipPtr members = routing::make_membership(pool.placement, pool.servers);
    std::vector<std::uint8_t> live(4, 1);
    live[down] = 0;
    const std::size_t own = members->placement->place(key);
    switch (pool.past_down) {
      case PastDown::Eject:
        return placement::make_placement(pool.placement, members->nodes, live)->place(key);
      case PastDown::Rehash:
        return live[own] != 0 ? own : *members->placement->place_rehashed(key, live);
      case PastDown::Next:
        return live[own] != 0 ? own : *members->placement->place_next(key, live);
      case PastDown::Stay:
        break;
    }
    return own;
  }
};

class EveryWay : public PastDownTest, public testing::WithParamInterface<PastDown> {};

TEST_P(EveryWay, KeysGoWhereThePlacementSays) {
  start_with(GetParam());
  take_down(1);
  for (int i = 0; i < 200; ++i) {
    const std::string key = "k" + std::to_string(i);
    ASSERT_EQ(ask(set_request(key, "v")), "STORED\r\n") << key;
    EXPECT_EQ(servers[expected(key, 1)]->items().size(), 1U) << key;
    for (const auto& each : servers) each->items().clear();
  }
}

TEST_P(EveryWay, OneRequestOfManyKeysIsReadPastTheServer) {
  start_with(GetParam());
  take_down(1);
  std::string request = "get";
  std::string reply;
  for (int i = 0; i < 20; ++i) {
    ask(set_request(key_on(1, i), "v"));
    request += " " + key_on(1, i);
    reply += item(key_on(1, i), "v");
  }

  EXPECT_EQ(ask(request + "\r\n"), reply + "END\r\n");
}

TEST_P(EveryWay, KeysComeHomeWhenTheServerIsBack) {
  start_with(GetParam());
  take_down(1);
  servers[1]->start();
  run_for(1100ms);

  EXPECT_EQ(ask(set_request(key_on(1), "v")), "STORED\r\n");
  EXPECT_EQ(servers[1]->items().size(), 1U);
}

TEST_P(EveryWay, WhereAllAreDownThePolicyAnswers) {
  start_with(GetParam());
  for (std::size_t i = 0; i < 4; ++i) servers[i]->stop();
  SimPeer& client = connect();
  for (int i = 0; i < 8; ++i) ask(client, "get " + key_on(1, i) + "\r\n");

  EXPECT_EQ(ask(client, "get " + key_on(1) + "\r\nmg " + key_on(1) + " v q\r\nmn\r\n"),
            "END\r\nMN\r\n");
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryWay,
                         testing::Values(PastDown::Eject, PastDown::Rehash, PastDown::Next));

TEST_F(PastDownTest, AFlushedServerReturnsWithoutWhatItHeld) {
  server.health.flush_on_return = true;
  start_with(PastDown::Eject);
  take_down(1);
  ask(set_request(key_on(1), "new"));
  servers[1]->start();
  servers[1]->items().set(key_on(1), "old");  // it was cut off, not killed
  run_for(1100ms);

  EXPECT_EQ(servers[1]->count("flush_all"), 1U);
  EXPECT_EQ(ask("get " + key_on(1) + "\r\n"), "END\r\n");
}

TEST_F(PastDownTest, AServerThatDoesNotFlushStaysDown) {
  server.health.flush_on_return = true;
  start_with(PastDown::Eject);
  take_down(1);
  servers[1]->start();
  servers[1]->script([](const MemcachedCommand& command) {
    return command.words.front() == "flush_all" ? ServerAct::answer_with("ERROR\r\n") : ServerAct{};
  });
  run_for(1100ms);
  ask(set_request(key_on(1), "v"));

  EXPECT_EQ(servers[1]->count("set"), 0U);
}

TEST_F(PastDownTest, WithoutAFlushItMayAnswerWithWhatItHeld) {
  start_with(PastDown::Eject);
  take_down(1);
  ask(set_request(key_on(1), "new"));
  servers[1]->start();
  servers[1]->items().set(key_on(1), "old");  // it was cut off, not killed
  run_for(1100ms);

  EXPECT_EQ(ask("get " + key_on(1) + "\r\n"), item(key_on(1), "old") + "END\r\n");
}

TEST_F(PastDownTest, AServerMarkedDownIsNeverConnectedTo) {
  pool.past_down = PastDown::Rehash;
  add_server();
  pool.servers.push_back({.server = server});
  add_server();
  pool.servers.push_back({.server = server});
  pool.servers.back().is_up = false;
  options.pools = {pool};
  launch();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(ask(set_request("k" + std::to_string(i), "v")), "STORED\r\n");
  }

  EXPECT_EQ(servers[0]->items().size(), 50U);
  EXPECT_EQ(fleet.servers().size(), 1U);
  EXPECT_EQ(ask("flush_all\r\n"), "OK\r\n");
}

}  // namespace
}  // namespace mcsteady::test
