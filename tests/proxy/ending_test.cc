// How client connections end: by themselves, by force, and when the worker drains.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class EndingTest : public WorkerTest {
 protected:
  void drain() {
    worker->drain([this] { drained = true; });
    run_for(1ms);
  }
  bool drained = false;
};

TEST_F(EndingTest, QuitClosesBehindTheRepliesBeforeIt) {
  start(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get a\r\nquit\r\nget b\r\n", 100ms), "END\r\n");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(servers[0]->count("get"), 1U);
  EXPECT_EQ(closed("quit"), 1U);
}

TEST_F(EndingTest, WhatComesBehindQuitIsDroppedHoweverMuchItIs) {
  start(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get a\r\nquit\r\n" + repeated("get b\r\n", 10'000), 100ms), "END\r\n");
  EXPECT_EQ(servers[0]->count("get"), 1U);
}

TEST_F(EndingTest, AnEndOfFileBehindARequestLetsItsReplyCome) {
  start(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  client.send("get a\r\nset b 0 0 1\r\nx\r\n");
  client.finish_sending();
  run_for(100ms);

  EXPECT_EQ(client.received(), "END\r\nSTORED\r\n");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(closed("client_closed"), 1U);
}

TEST_F(EndingTest, AnEndOfFileInTheMiddleOfARequestDropsIt) {
  start(1);
  for (const std::string& request : {std::string("get a"), std::string("set a 0 0 5\r\nab"),
                                     "set a 0 0 100000\r\n" + std::string(50'000, 'x')}) {
    SimPeer& client = connect();
    client.send(request);
    client.finish_sending();
    run_for(5ms);
    EXPECT_TRUE(client.ended()) << request.substr(0, 20);
    EXPECT_EQ(client.received(), "");
  }

  EXPECT_EQ(servers[0]->requests().size(), 0U);
  EXPECT_EQ(closed("client_closed"), 3U);
}

TEST_F(EndingTest, AnEndOfFileInAHalfRequestStillLetsEarlierRepliesCome) {
  start(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  client.send("get a\r\nset b 0 0 100000\r\n" + std::string(20'000, 'x'));
  client.finish_sending();
  run_for(100ms);

  EXPECT_EQ(client.received(), "END\r\n");
}

TEST_F(EndingTest, AResetIsTheClientsEnd) {
  start(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  ask(client, "get a\r\n", 1ms);
  client.reset();
  run_for(100ms);

  EXPECT_EQ(closed("client_closed"), 1U);
  EXPECT_EQ(registry.snapshot().gauge("clients"), 0);
}

TEST_F(EndingTest, BytesOfTheBinaryProtocolEndTheConnection) {
  start(1);
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, "mn\r\n\x80\x00\x01"), "MN\r\n");

  EXPECT_TRUE(client.ended());
  EXPECT_EQ(closed("refused"), 1U);
}

TEST_F(EndingTest, OneClientTooManyIsTurnedAwayWithAWord) {
  options.client.clients_max = 2;
  start(1);
  SimPeer& first = connect();
  SimPeer& second = connect();
  SimPeer& third = connect();
  EXPECT_EQ(third.received(), "ERROR Too many open connections\r\n");
  EXPECT_TRUE(third.ended());
  EXPECT_EQ(ask(second, "mn\r\n"), "MN\r\n");
  first.close();
  run_for(1ms);

  EXPECT_EQ(ask(connect(), "mn\r\n"), "MN\r\n");
  EXPECT_EQ(closed("too_many"), 1U);
}

TEST_F(EndingTest, AClientThatTakesNoReplyIsClosedAsStuck) {
  options.client.stuck_timeout = 10s;
  start(1);
  store("a", std::string(500'000, 'v'));
  SimPeer& client = connect();
  client.set_receiving(false);
  ask(client, repeated("get a\r\n", 10), 1s);
  EXPECT_EQ(closed("stuck"), 0U);
  run_for(21s);

  EXPECT_EQ(closed("stuck"), 1U);
}

TEST_F(EndingTest, AClientInTheMiddleOfASetIsClosedAsStuck) {
  options.client.stuck_timeout = 10s;
  start(1);
  SimPeer& small = connect();
  SimPeer& large = connect();
  ask(small, "set a 0 0 100\r\nx");
  ask(large, "set a 0 0 100000\r\nx");
  run_for(21s);

  EXPECT_TRUE(small.ended());
  EXPECT_TRUE(large.ended());
  EXPECT_EQ(closed("stuck"), 2U);
}

TEST_F(EndingTest, AClientThatGoesOnSlowlyIsNotStuck) {
  options.client.stuck_timeout = 10s;
  start(1);
  SimPeer& client = connect();
  ask(client, "set a 0 0 10\r\n");
  for (int i = 0; i < 10; ++i) ask(client, "x", 9s);

  EXPECT_EQ(ask(client, "\r\n"), "STORED\r\n");
}

TEST_F(EndingTest, AnIdleClientIsNotStuck) {
  options.client.stuck_timeout = 10s;
  start(1);
  SimPeer& client = connect();
  ask(client, "get a\r\n");
  run_for(10min);

  EXPECT_EQ(ask(client, "mn\r\n"), "MN\r\n");
}

TEST_F(EndingTest, AtTheMemoryCeilingTheLargestHolderGoesAndOthersAreServed) {
  ceiling = MiB(4);
  options.client.output_high_water = MiB(16);
  start(1);
  store("a", std::string(300'000, 'v'));
  const std::string reply = item("a", std::string(300'000, 'v')) + "END\r\n";
  SimPeer& smaller = connect();
  SimPeer& largest = connect();
  SimPeer& reader = connect();
  smaller.set_receiving(false);
  largest.set_receiving(false);
  ask(smaller, repeated("get a\r\n", 4), 50ms);
  for (int i = 0; i < 8; ++i) ask(largest, "get a\r\n", 20ms);
  EXPECT_EQ(closed("no_memory"), 0U);
  EXPECT_EQ(ask(reader, repeated("get a\r\n", 12), 200ms), repeated(reply, 12));

  EXPECT_EQ(closed("no_memory"), 1U);
  smaller.set_receiving(true);
  run_for(100ms);
  EXPECT_EQ(smaller.received(), repeated(reply, 4));
  EXPECT_LE(memory->peak(), MiB(4).value + KiB(100).value);
}

TEST_F(EndingTest, AtTheCeilingOnlyAsManyGoAsMustWhoeverHoldsRepliesForTheirTurn) {
  ceiling = MiB(4);
  options.client.output_high_water = MiB(16);
  start(2);
  server.response_timeout = 10s;
  store(key_on(1), std::string(300'000, 'v'));
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(200ms); });
  const std::string waiting = "mg " + key_on(0) + " v\r\n";
  SimPeer& smaller = connect();
  SimPeer& largest = connect();
  ask(smaller, waiting + repeated("get " + key_on(1) + "\r\n", 4), 10ms);
  ask(largest, waiting + repeated("get " + key_on(1) + "\r\n", 8), 10ms);
  SimPeer& reader = connect();
  EXPECT_EQ(ask(reader, repeated("get " + key_on(1) + "\r\n", 12), 100ms),
            repeated(item(key_on(1), std::string(300'000, 'v')) + "END\r\n", 12));

  EXPECT_EQ(closed("no_memory"), 1U);
}

TEST_F(EndingTest, AtTheCeilingAValueOfWhichMostHasGoneCountsAsAWhole) {
  ceiling = MiB(2);
  start(1);
  store("a", std::string(300'000, 'v'));
  const std::string reply = item("a", std::string(300'000, 'v')) + "END\r\n";
  for (int i = 0; i < 6; ++i) {
    SimPeer& hoarder = connect();
    hoarder.set_receiving(false);
    ask(hoarder, "get a\r\n", 20ms);
  }

  EXPECT_EQ(ask(connect(), "get a\r\n", 50ms), reply);

  EXPECT_GE(closed("no_memory"), 1U);
  EXPECT_EQ(counted("unavailable"), 0U);
}

TEST_F(EndingTest, DrainingClosesIdleClientsAtOnce) {
  start(1);
  SimPeer& client = connect();
  drain();

  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(drained);
  EXPECT_EQ(closed("drained"), 1U);
}

TEST_F(EndingTest, DrainingWithoutClientsIsOverAtOnce) {
  start(1);
  drain();

  EXPECT_TRUE(drained);
}

TEST_F(EndingTest, DrainingAcceptsNoMore) {
  start(1);
  drain();
  SimPeer& late = connect();

  EXPECT_TRUE(late.broken().has_value());
}

TEST_F(EndingTest, DrainingFinishesWhatIsInFlight) {
  start(1);
  servers[0]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();
  ask(client, "get a\r\nmn\r\n");
  drain();
  EXPECT_FALSE(client.ended());
  run_for(100ms);

  EXPECT_EQ(client.received(), "END\r\nMN\r\n");
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(drained);
}

TEST_F(EndingTest, DrainingFinishesARequestThatIsHalfHere) {
  start(1);
  SimPeer& small = connect();
  SimPeer& large = connect();
  ask(small, "set a 0 0 4\r\nab");
  ask(large, "set b 0 0 100000\r\n" + std::string(50'000, 'x'));
  drain();
  EXPECT_EQ(ask(small, "cd\r\n"), "STORED\r\n");
  EXPECT_FALSE(drained);
  EXPECT_EQ(ask(large, std::string(50'000, 'x') + "\r\n"), "STORED\r\n");

  EXPECT_TRUE(small.ended());
  EXPECT_TRUE(large.ended());
  EXPECT_TRUE(drained);
}

TEST_F(EndingTest, DrainingEndsInSpiteOfAClientThatDoesNotFinish) {
  options.drain_timeout = 5s;
  start(1);
  SimPeer& client = connect();
  ask(client, "set a 0 0 4\r\nab");
  drain();
  run_for(4900ms);
  EXPECT_FALSE(drained);
  run_for(200ms);

  EXPECT_TRUE(drained);
  EXPECT_TRUE(client.ended());
}

TEST_F(EndingTest, AllIsGivenBackWhenClientsHaveGone) {
  start(2);
  store(key_on(0), std::string(100'000, 'v'));
  for (int i = 0; i < 20; ++i) {
    SimPeer& client = connect();
    client.set_receiving(false);
    ask(client,
        repeated("get " + key_on(0) + " " + key_on(1) + "\r\n", i + 1) + "set a 0 0 90000\r\n",
        1ms);
    client.close();
  }
  run_for(1s);
  worker.reset();

  EXPECT_EQ(memory->used(), 0U);
}

TEST_F(EndingTest, AtTheCeilingSetsThatWaitForTheirServerCountToTheirClient) {
  ceiling = MiB(8);
  options.client.output_high_water = MiB(64);
  server.request_timeout = Duration{0};
  start(1);
  servers[0]->set_receiving(false);
  SimPeer& hoarder = connect();
  for (int i = 0; i < 7; ++i)
    hoarder.send(set_request("k" + std::to_string(i), std::string(1 << 20, 'x')));
  run_for(50ms);
  SimPeer& other = connect();
  other.send(set_request("mine", std::string(2 << 20, 'y')));
  run_for(50ms);

  EXPECT_TRUE(hoarder.is_over());
  EXPECT_FALSE(other.is_over());
  EXPECT_EQ(closed("no_memory"), 1U);
}

TEST_F(EndingTest, ASmallRequestThatFindsNoMemoryIsToldSo) {
  ceiling = ByteCount{100};
  start(1);

  EXPECT_EQ(ask("delete k\r\n"), "");
  EXPECT_EQ(closed("no_memory"), 1U);  // there is no memory for the word either
}

}  // namespace
}  // namespace mcsteady::test
