// A move from an old pool to a new one, from the client's bytes to the servers'.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;

class MigrationTest : public WorkerTest {
 protected:
  void start_migration(std::chrono::seconds fill = 0s,
                       std::optional<std::chrono::seconds> ends_in = std::nullopt) {
    RouteOptions route(RouteOptions::Kind::Migrate);
    route.children = {{"new"}, {"old"}};
    route.answer = RouteOptions::Answer::Main;
    route.failover.causes.set();
    route.failover.on_miss = true;
    route.fill = fill;
    options.started_at = std::chrono::sys_days(std::chrono::year(2026) / 12 / 1);
    if (ends_in) route.until = options.started_at + *ends_in;
    start_pools({"new", "old"}, route);
    servers[1]->items().set("old", "o", 7);
  }
};

TEST_F(MigrationTest, ReadsTakeTheNewAndThenTheOld) {
  start_migration();
  servers[0]->items().set("new", "n");

  EXPECT_EQ(ask("get new\r\nget old\r\nget new old none\r\nmg old v\r\n"),
            item("new", "n") + "END\r\nVALUE old 7 1\r\no\r\nEND\r\n" + item("new", "n") +
                "VALUE old 7 1\r\no\r\nEND\r\nVA 1\r\no\r\n");
  EXPECT_EQ(servers[0]->items().size(), 1U);
}

TEST_F(MigrationTest, WritesGoToBothAndTheNewAnswers) {
  start_migration();

  EXPECT_EQ(ask(set_request("k", "v") + "delete old\r\n"), "STORED\r\nNOT_FOUND\r\n");
  EXPECT_EQ(servers[0]->items().value("k"), "v");
  EXPECT_EQ(servers[1]->items().value("k"), "v");
  EXPECT_EQ(servers[1]->items().value("old"), std::nullopt);
}

TEST_F(MigrationTest, WithoutTheOldTheNewIsEnough) {
  start_migration();
  servers[1]->stop();

  EXPECT_EQ(ask(set_request("k", "v") + "get k\r\nget none\r\n", 50ms),
            "STORED\r\n" + item("k", "v") + "END\r\nEND\r\n");
}

TEST_F(MigrationTest, WhatTheOldHadIsPutIntoTheNewWithItsFlags) {
  start_migration(60s);

  ask("get old\r\n");
  EXPECT_EQ(servers[0]->requests().back(), "add old 7 60 1");
  EXPECT_EQ(ask("get old\r\n"), "VALUE old 7 1\r\no\r\nEND\r\n");
  EXPECT_EQ(servers[1]->count("get"), 1U);
}

TEST_F(MigrationTest, WhatAMetaGetFoundIsPutThereIfItsFlagsAreKnown) {
  start_migration(60s);

  ask("mg old v\r\n");
  EXPECT_EQ(servers[0]->items().size(), 0U);
  ask("mg old v f k\r\n");
  EXPECT_EQ(servers[0]->requests().back(), "ms old 1 ME T60 F7");
  ask("mg b2xk v f b\r\n");
  EXPECT_EQ(servers[0]->count("mg"), 3U);
  EXPECT_EQ(ask("get old\r\n"), "VALUE old 7 1\r\no\r\nEND\r\n");
}

TEST_F(MigrationTest, ANewerValueIsNotOverwritten) {
  start_migration(60s);
  servers[0]->next(ServerAct::answer());  // the get misses
  servers[1]->next(ServerAct::answer_after(10ms));
  SimPeer& slow = connect();
  slow.send("get old\r\n");
  run_for(1ms);
  EXPECT_EQ(ask(set_request("old", "newer"), 2ms), "STORED\r\n");

  run_for(50ms);
  EXPECT_EQ(servers[0]->items().value("old"), "newer");
}

TEST_F(MigrationTest, FromItsDateOnThereIsOnlyTheNew) {
  start_migration(0s, 10s);
  EXPECT_EQ(ask("get old\r\n"), "VALUE old 7 1\r\no\r\nEND\r\n");

  run_for(11s);
  EXPECT_EQ(ask("get old\r\n" + set_request("k", "v")), "END\r\nSTORED\r\n");
  EXPECT_EQ(servers[1]->items().value("k"), std::nullopt);
}

}  // namespace
}  // namespace mcsteady::test
