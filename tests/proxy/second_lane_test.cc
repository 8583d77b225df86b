// Large values on a connection of their own, from the client's bytes to the server's.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class SecondLaneTest : public WorkerTest {
 protected:
  /// Of one server, which is slow with keys that begin with "big".
  void start_lanes(ByteCount large_value = KiB(64)) {
    server.large_value = large_value;
    start(1);
    servers[0]->script([](const MemcachedCommand& command) {
      const bool is_big = command.line.find(" big") != std::string_view::npos;
      return is_big ? ServerAct::answer_after(100ms) : ServerAct::answer();
    });
    store("big:1", large_);
    store("small", "s");
  }
  /// So that big keys are known for what they are.
  void learn() { ASSERT_EQ(ask("get big:1\r\n", 200ms), item("big:1", large_) + "END\r\n"); }
  std::uint64_t large(const std::string& what = "") const {
    return registry.snapshot().total("server_large_requests" + what);
  }

  const std::string large_ = std::string(200'000, 'x');
};

TEST_F(SecondLaneTest, WithoutItSmallRequestsWaitBehindLargeOnes) {
  start_lanes(ByteCount{0});
  learn();
  connect().send("get big:1\r\n");
  run_for(1ms);

  EXPECT_EQ(ask("get small\r\n"), "");
  EXPECT_EQ(servers[0]->connections_accepted(), 1U);
}

TEST_F(SecondLaneTest, ALargeGetDoesNotDelayOtherClients) {
  start_lanes();
  learn();
  SimPeer& slow = connect();
  slow.send("get none big:2 big:1\r\n");
  run_for(1ms);

  EXPECT_EQ(ask("get small\r\nmg small v\r\n"), item("small", "s") + "END\r\nVA 1\r\ns\r\n");
  EXPECT_EQ(slow.received(), "");
  EXPECT_EQ(large(), 1U);
}

TEST_F(SecondLaneTest, AMetaGetIsLargeByWhatOthersLearnt) {
  start_lanes();
  learn();
  connect().send("mg big:1 v\r\n");
  connect().send("gat 0 big:1\r\n");

  EXPECT_EQ(ask("get small\r\n"), item("small", "s") + "END\r\n");
  EXPECT_EQ(large(), 2U);
}

TEST_F(SecondLaneTest, ALargeSetDoesNotDelayOtherClientsFromTheFirstOn) {
  start_lanes();
  SimPeer& slow = connect();
  slow.send(set_request("big:2", large_));
  run_for(5ms);

  EXPECT_EQ(ask("get small\r\n"), item("small", "s") + "END\r\n");
  EXPECT_EQ(slow.received(), "");
  EXPECT_EQ(large(), 1U);
}

TEST_F(SecondLaneTest, WhatAClientAsksBehindALargeRequestStaysBehindIt) {
  start_lanes();

  EXPECT_EQ(ask(set_request("big:1", large_ + "y") + "get big:1\r\n" + set_request("big:1", "z") +
                    "get big:1\r\nget small\r\n",
                600ms),
            "STORED\r\n" + item("big:1", large_ + "y") + "END\r\nSTORED\r\n" + item("big:1", "z") +
                "END\r\n" + item("small", "s") + "END\r\n");
  EXPECT_EQ(servers[0]->connections_accepted(), 1U);  // all by the one for large values
  EXPECT_EQ(servers[0]->requests().back(), "get big:1 small");
}

TEST_F(SecondLaneTest, ALargeRequestStaysBehindWhatItsClientAskedBefore) {
  start_lanes();
  learn();
  servers[0]->next(ServerAct::answer_after(50ms));

  EXPECT_EQ(ask(set_request("key", "1") + set_request("key", large_) + "get key\r\n", 100ms),
            "STORED\r\nSTORED\r\n" + item("key", large_) + "END\r\n");
  EXPECT_EQ(large("_queued"), 2U);  // the get, too: by then such keys are known
  EXPECT_EQ(large(), 0U);
}

TEST_F(SecondLaneTest, AClientIsBackWithTheSmallOnesWhenItsLargeRequestIsAnswered) {
  start_lanes();
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, set_request("big:1", large_), 200ms), "STORED\r\n");
  connect().send("get big:1\r\n");
  run_for(1ms);

  EXPECT_EQ(ask(client, "get small\r\n"), item("small", "s") + "END\r\n");
}

TEST_F(SecondLaneTest, TheConnectionOfLargeValuesEndsWithItsServer) {
  start_lanes();
  learn();
  connect().send("get big:1\r\n");
  run_for(1ms);
  EXPECT_EQ(ask("get small\r\n"), item("small", "s") + "END\r\n");

  servers[0]->close_connections();
  run_for(1ms);

  EXPECT_EQ(ask("get big:1\r\n", 200ms), item("big:1", large_) + "END\r\n");
  EXPECT_EQ(registry.snapshot().gauge("server_owed", "server0"), 0);
}

}  // namespace
}  // namespace mcsteady::test
