// How clients share a worker: back-pressure, fairness, and what leaves in one send.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class FlowTest : public WorkerTest {
 protected:
  /// Tells how many mn have been taken when it is asked.
  std::string stats(std::string_view) override {
    return "STAT mn " + std::to_string(counted("cmd_mn")) + "\r\nEND\r\n";
  }
  /// Sends of all streams of the worker since `before`.
  std::uint64_t sends_since(const SocketCalls& before) const {
    return proxy_side.calls().sends - before.sends;
  }
};

TEST_F(FlowTest, AClientThatDoesNotReadIsNotReadEither) {
  options.client.output_high_water = KiB(64);
  start(1);
  store("a", std::string(10'000, 'v'));
  SimPeer& client = connect();
  client.set_receiving(false);
  ask(client, repeated("get a\r\n", 2000) + set_request("b", std::string(600'000, 'x')), 100ms);

  EXPECT_LT(servers[0]->count("get"), 200U);
  EXPECT_GT(client.unsent(), 0U);
  EXPECT_GE(counted("reads_paused"), 1U);
  EXPECT_LT(memory->peak(), MiB(2).value);
}

TEST_F(FlowTest, ManyClientsAskForLittleEachUntilTheSizeOfItemsIsKnown) {
  start(1);
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(100ms); });
  std::vector<SimPeer*> clients;
  for (int i = 0; i < 32; ++i) clients.push_back(&connect());

  for (SimPeer* client : clients) client->send(repeated("mg a v\r\n", 64));
  run_for(50ms);

  EXPECT_EQ(servers[0]->count("mg"), 32U * 4);
}

TEST_F(FlowTest, AClientThatReadsAgainGetsAllItsReplies) {
  options.client.output_high_water = KiB(64);
  start(1);
  store("a", std::string(10'000, 'v'));
  SimPeer& client = connect();
  client.set_receiving(false);
  ask(client, repeated("get a\r\n", 500) + "mn\r\n", 100ms);
  client.set_receiving(true);
  run_for(1s);

  EXPECT_EQ(client.received(),
            repeated(item("a", std::string(10'000, 'v')) + "END\r\n", 500) + "MN\r\n");
}

TEST_F(FlowTest, AClientThatReadsIsNotCountedAsPaused) {
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, repeated(set_request("a", "x"), 1000), 100ms),
            repeated("STORED\r\n", 1000));
  EXPECT_EQ(counted("reads_paused"), 0U);
}

TEST_F(FlowTest, ASlowClientCostsOthersNothing) {
  options.client.output_high_water = KiB(64);
  start(1);
  store("large", std::string(500'000, 'v'));
  store("a", "v");
  SimPeer& slow = connect();
  slow.set_receiving(false);
  ask(slow, repeated("get large\r\n", 20), 10ms);

  EXPECT_EQ(ask("get a\r\n", 1ms), item("a", "v") + "END\r\n");
}

TEST_F(FlowTest, ManyRequestsOfOneClientGiveWayToAnothersOne) {
  start(1);
  SimPeer& greedy = connect();
  SimPeer& modest = connect();
  greedy.send(repeated("mn\r\n", 10'000));
  modest.send("stats\r\n");
  run_for(1ms);
  const std::size_t taken = std::stoul(modest.received().substr(8));

  EXPECT_LE(taken, static_cast<std::size_t>(options.client.requests_per_turn));
  EXPECT_EQ(greedy.received(), repeated("MN\r\n", 10'000));
}

TEST_F(FlowTest, NoTurnTakesMoreOfAClientThanItsShare) {
  options.client.requests_per_turn = 10;
  start(1);
  SimPeer& greedy = connect();
  const std::uint64_t turns = proxy_side.turns();
  ask(greedy, repeated("mn\r\n", 20'000), 100ms);

  EXPECT_EQ(counted("cmd_mn"), 20'000U);
  EXPECT_GE(proxy_side.turns() - turns, 20'000U / 20);
}

TEST_F(FlowTest, NoTurnTakesMoreOfAClientWithLittleRoomEither) {
  options.client.requests_per_turn = 10;
  options.client.output_high_water = ByteCount{16};
  start(1);
  SimPeer& greedy = connect();
  const std::uint64_t turns = proxy_side.turns();
  ask(greedy, repeated("mn\r\n", 4000), 100ms);

  EXPECT_EQ(counted("cmd_mn"), 4000U);
  EXPECT_GE(proxy_side.turns() - turns, 4000U / 20);
}

TEST_F(FlowTest, RequestsOfOneTurnLeaveInOneSend) {
  start(2);
  SimPeer& client = connect();
  ask(client, "get " + key_on(0) + " " + key_on(1) + "\r\n");
  const SocketCalls before = proxy_side.calls();
  const std::string one = "mg " + key_on(0) + " v\r\nmg " + key_on(1) + " v\r\n";
  ask(client, repeated(one, 10), 120us);

  EXPECT_EQ(sends_since(before), 2U);
  EXPECT_EQ(servers[0]->count("mg"), 10U);
}

TEST_F(FlowTest, RequestsOfSeveralClientsLeaveInOneSend) {
  start(1);
  SimPeer& first = connect();
  SimPeer& second = connect();
  ask(first, "get a\r\n");
  const SocketCalls before = proxy_side.calls();
  first.send("get a\r\n");
  second.send("get b\r\n");
  run_for(5ms);

  EXPECT_EQ(sends_since(before), 3U);  // one up, and one to each client
}

TEST_F(FlowTest, RepliesOfOneTurnLeaveInOneSend) {
  start(1);
  store("a", "v");
  SimPeer& client = connect();
  ask(client, "get a\r\n");
  const SocketCalls before = proxy_side.calls();
  EXPECT_EQ(ask(client, repeated("get a\r\n", 20)), repeated(item("a", "v") + "END\r\n", 20));

  EXPECT_EQ(sends_since(before), 2U);
  EXPECT_EQ(proxy_side.calls().receives - before.receives, 2U);
}

TEST_F(FlowTest, ANewClientIsTakenToAskForWhatOthersHaveHad) {
  options.client.output_high_water = KiB(64);
  start(1);
  store("large", std::string(60'000, 'x'));
  ask("get large\r\n", 50ms);
  SimPeer& silent = connect();
  silent.set_receiving(false);

  ask(silent, repeated("get large\r\n", 200), 50ms);

  // Without what was learnt, 64 would have been asked for at once.
  EXPECT_LE(requests_seen("get"), 12U);
}

}  // namespace
}  // namespace mcsteady::test
