// Reads of one key that are asked once for many, from the clients' bytes to the server's.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;

class CoalesceTest : public WorkerTest {
 protected:
  /// One server that takes 20 ms for each answer, and has done at once what it was asked.
  void start_slow() {
    RouteOptions route(RouteOptions::Kind::Coalesce);
    route.children.emplace_back("main");
    start_pools({"main"}, route);
    servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(20ms); });
    servers[0]->items().set("k", "old");
  }
  SimPeer& asking(std::string_view request) {
    SimPeer& client = connect();
    client.send(request);
    run_for(1ms);
    return client;
  }
  const std::vector<std::string>& seen() const { return servers[0]->requests(); }
  using Lines = std::vector<std::string>;

  const std::string old_ = item("k", "old") + "END\r\n";
  const std::string new_ = item("k", "new") + "END\r\n";
};

TEST_F(CoalesceTest, AsksOnceForAllWhoWait) {
  start_slow();
  const SimPeer& first = asking("get k\r\n");
  std::vector<const SimPeer*> others;
  for (int i = 0; i < 10; ++i) others.push_back(&asking("get k\r\n"));

  run_for(100ms);

  EXPECT_EQ(first.received(), old_);
  for (const SimPeer* other : others) EXPECT_EQ(other->received(), old_);
  EXPECT_EQ(seen(), (Lines{"get k", "get k"}));
  EXPECT_EQ(counted("coalesced_gets"), 10U);
}

TEST_F(CoalesceTest, WhoComesLaterReadsWhatOthersHaveWrittenMeanwhile) {
  start_slow();
  const SimPeer& first = asking("get k\r\n");
  servers[0]->items().set("k", "new");  // by way of another proxy
  const SimPeer& later = asking("get k\r\n");

  run_for(100ms);

  EXPECT_EQ(first.received(), old_);
  EXPECT_EQ(later.received(), new_);
}

TEST_F(CoalesceTest, AReadBehindAWriteOfItsClientGoesByItself) {
  start_slow();
  asking("get k\r\n");
  asking("get k\r\n");
  const SimPeer& writer = asking(set_request("k", "new") + "get k\r\n");

  EXPECT_EQ(seen(), (Lines{"get k", "set k 0 0 3", "get k"}));
  run_for(100ms);
  EXPECT_EQ(writer.received(), "STORED\r\n" + new_);
}

TEST_F(CoalesceTest, AWriteDoesNotOvertakeAReadOfItsClient) {
  start_slow();
  asking("get k\r\n");
  const SimPeer& other = asking("get k\r\n");
  const SimPeer& writer = asking("get k\r\n" + set_request("k", "new"));

  EXPECT_EQ(seen(), (Lines{"get k", "get k", "set k 0 0 3"}));
  run_for(100ms);
  EXPECT_EQ(writer.received(), old_ + "STORED\r\n");
  EXPECT_EQ(other.received(), new_);
}

TEST_F(CoalesceTest, NorOneThatIsUnderWayByAnotherLane) {
  start_slow();
  asking("get k\r\n");
  asking("get k\r\n");
  SimPeer& writer = asking("get k\r\n");
  run_for(20ms);  // the one for both has left
  writer.send("delete k\r\n");
  run_for(1ms);

  EXPECT_EQ(seen(), (Lines{"get k", "get k", "get k", "delete k"}));
  run_for(100ms);
  EXPECT_EQ(writer.received(), old_ + "DELETED\r\n");
}

TEST_F(CoalesceTest, NorDoesAFlush) {
  start_slow();
  asking("get k\r\n");
  const SimPeer& writer = asking("get k\r\nflush_all\r\n");

  EXPECT_EQ(seen(), (Lines{"get k", "get k", "flush_all"}));
  run_for(100ms);
  EXPECT_EQ(writer.received(), old_ + "OK\r\n");
}

TEST_F(CoalesceTest, OnlyTheSameCommandIsShared) {
  start_slow();
  const SimPeer& classic = asking("get k\r\n");
  const SimPeer& meta = asking("mg k v f\r\n");
  const SimPeer& meta_too = asking("mg k v f q\r\nmn\r\n");  // q is the client's affair
  asking("mg k v Oa\r\n");
  asking("mg k v T60\r\n");
  asking("mg k v T60\r\n");

  run_for(200ms);

  EXPECT_EQ(classic.received(), old_);
  EXPECT_EQ(meta.received(), "VA 3 f0\r\nold\r\n");
  EXPECT_EQ(meta_too.received(), "VA 3 f0\r\nold\r\nMN\r\n");
  EXPECT_EQ(seen(),
            (Lines{"get k", "mg k v f", "mg k v Oa", "mg k v T60", "mg k v T60", "mg k v f"}));
}

TEST_F(CoalesceTest, TheRightToRenewIsOnesAlone) {
  start_slow();
  int asked = 0;
  servers[0]->script([&asked](const MemcachedCommand&) {
    ServerAct act = ServerAct::answer_after(20ms);
    act.reply = ++asked == 2 ? "VA 1 W X\r\nx\r\n" : "VA 1 X Z\r\nx\r\n";
    return act;
  });
  asking("mg k v\r\n");
  const SimPeer& winner = asking("mg k v\r\n");
  const SimPeer& loser = asking("mg k v\r\n");

  run_for(200ms);

  EXPECT_EQ(winner.received(), "VA 1 W X\r\nx\r\n");
  EXPECT_EQ(loser.received(), "VA 1 X Z\r\nx\r\n");
  EXPECT_EQ(asked, 3);
}

TEST_F(CoalesceTest, LargeValuesReachEachOfThem) {
  start_slow();
  const std::string large(200'000, 'x');
  servers[0]->items().set("k", large);
  asking("get k\r\n");
  std::vector<const SimPeer*> others;
  for (int i = 0; i < 3; ++i) others.push_back(&asking("get none k\r\n"));

  run_for(300ms);

  for (const SimPeer* other : others) EXPECT_EQ(other->received(), item("k", large) + "END\r\n");
  EXPECT_EQ(servers[0]->count("get"), 4U);  // twice of each key
}

TEST_F(CoalesceTest, ADeadServerIsToldToEach) {
  start_slow();
  SimPeer& first = asking("get k\r\n");
  SimPeer& second = asking("get k\r\nmn\r\n");
  servers[0]->stop();

  run_for(100ms);

  EXPECT_EQ(first.take_received(), "END\r\n");
  EXPECT_EQ(second.take_received(), "END\r\nMN\r\n");
  servers[0]->start();
  servers[0]->items().set("k", "new");
  EXPECT_EQ(ask(second, "get k\r\n", 50ms), new_);
}

TEST_F(CoalesceTest, WhoseTimeIsNotOverIsAskedForAgain) {
  server.request_timeout = 50ms;
  server.response_timeout = 1s;
  start_slow();
  servers[0]->script([](const MemcachedCommand& command) {
    return ServerAct::answer_after(command.words.back() == "other" ? 60ms : 1ms);
  });
  asking("get other\r\n");  // holds up what is behind it
  const SimPeer& leader = asking("get k\r\n");
  const SimPeer& early = asking("get k\r\n");
  run_for(40ms);
  const SimPeer& late = asking("get k\r\n");

  run_for(100ms);

  EXPECT_EQ(leader.received(), "END\r\n");
  EXPECT_EQ(early.received(), "END\r\n");
  EXPECT_EQ(late.received(), old_);
}

TEST_F(CoalesceTest, WhoHasGoneIsNotWaitedFor) {
  start_slow();
  SimPeer& first = asking("get k\r\n");
  SimPeer& second = asking("get k\r\n");
  const SimPeer& third = asking("get k\r\n");
  first.close();
  second.close();

  run_for(100ms);

  EXPECT_EQ(third.received(), old_);
  EXPECT_EQ(seen(), (Lines{"get k", "get k"}));
}

}  // namespace
}  // namespace mcsteady::test
