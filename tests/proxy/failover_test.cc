// A failover between pools, from the client's bytes to the servers'.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;

class FailoverTest : public WorkerTest {
 protected:
  void start_failover(bool on_miss = false) {
    RouteOptions route(RouteOptions::Kind::Failover);
    route.children = {{"main"}, {"gutter"}};
    route.failover.causes.set();
    route.failover.on_miss = on_miss;
    start_pools({"main", "gutter"}, route);
  }
};

TEST_F(FailoverTest, AsksTheFirstAloneWhileItAnswers) {
  start_failover();

  EXPECT_EQ(ask(set_request("k", "v") + "get k\r\nget none\r\nmg k v k\r\n"),
            "STORED\r\n" + item("k", "v") + "END\r\nEND\r\nVA 1 kk\r\nv\r\n");
  EXPECT_EQ(servers[1]->items().size(), 0U);
  EXPECT_EQ(servers[1]->count("get"), 0U);
}

TEST_F(FailoverTest, AsksTheNextWhereTheFirstGivesNoAnswer) {
  start_failover();
  servers[0]->stop();
  const std::string large(200'000, 'x');

  EXPECT_EQ(ask(set_request("k", "v") + set_request("l", large), 50ms), "STORED\r\nSTORED\r\n");
  EXPECT_EQ(ask("get k none\r\nget l\r\nmg k v\r\n", 50ms),
            item("k", "v") + "END\r\n" + item("l", large) + "END\r\nVA 1\r\nv\r\n");
  EXPECT_EQ(servers[1]->items().size(), 2U);
}

TEST_F(FailoverTest, AMissIsAnAnswerUnlessTheRouteSaysOtherwise) {
  start_failover();
  servers[1]->items().set("k", "v");

  EXPECT_EQ(ask("get k\r\nmg k v\r\n"), "END\r\nEN\r\n");
}

TEST_F(FailoverTest, AMissMayGoOn) {
  start_failover(true);
  servers[1]->items().set("k", "v");
  servers[0]->items().set("m", "w");

  EXPECT_EQ(
      ask("get k\r\nmg k v\r\nget m k none\r\nget none\r\n"),
      item("k", "v") + "END\r\nVA 1\r\nv\r\n" + item("m", "w") + item("k", "v") + "END\r\nEND\r\n");
  EXPECT_EQ(ask("delete k\r\n"), "NOT_FOUND\r\n");  // no read: no going on
}

TEST_F(FailoverTest, WhatMayHaveBeenCarriedOutIsNotCarriedOutTwice) {
  start_failover();
  servers[1]->items().set("n", "1");
  servers[0]->next(ServerAct::close_without_answer());

  EXPECT_EQ(ask("incr n 1\r\n"), "SERVER_ERROR server0: connection lost\r\n");
  servers[0]->stop();
  EXPECT_EQ(ask("incr n 1\r\n"), "2\r\n");
}

TEST_F(FailoverTest, WhereNobodyAnswersTheLastPolicyCounts) {
  start_failover();
  for (const auto& each : servers) each->stop();

  EXPECT_EQ(ask(set_request("k", "v") + "mg k v q\r\nmn\r\n"),
            "SERVER_ERROR server1: connection refused\r\nMN\r\n");
}

TEST_F(FailoverTest, AReplyThatHasBegunIsNotMixedWithAnother) {
  start_failover();
  servers[0]->items().set("k", "first");
  servers[1]->items().set("k", "other");
  const std::size_t value_and_no_end = item("k", "first").size();
  servers[0]->next(ServerAct::break_off_after(value_and_no_end));

  EXPECT_EQ(ask("get k\r\n"), item("k", "first") + "END\r\n");
}

TEST_F(FailoverTest, AClientThatLeavesTakesNothingWithIt) {
  start_failover();
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  client.send("get k\r\n");
  run_for(5ms);
  client.close();
  run_for(100ms);

  EXPECT_EQ(ask("get k\r\n"), "END\r\n");
}

}  // namespace
}  // namespace mcsteady::test
