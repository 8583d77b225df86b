// Writes to several routes and reads from one of them, from the client's bytes to the servers'.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;
using Answer = RouteOptions::Answer;
using Read = RouteOptions::Read;

class ReplicationTest : public WorkerTest {
 protected:
  void start_replicas(Answer answer, std::size_t count = 3, Read read = Read::First) {
    RouteOptions route(RouteOptions::Kind::Replicate);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back("pool" + std::to_string(i));
      route.children.emplace_back(names.back());
    }
    route.answer = answer;
    route.read = read;
    route.failover.causes.set();
    start_pools(names, route);
  }
  std::size_t replicas_with(const std::string& key, const std::string& value) const {
    std::size_t count = 0;
    for (const auto& each : servers) count += each->items().value(key) == value ? 1 : 0;
    return count;
  }
};

TEST_F(ReplicationTest, EveryReplicaGetsWhatIsWritten) {
  start_replicas(Answer::All);
  const std::string large(200'000, 'x');

  EXPECT_EQ(ask(set_request("k", "v") + set_request("l", large) + "ms m 1\r\nw\r\n", 50ms),
            "STORED\r\nSTORED\r\nHD\r\n");
  EXPECT_EQ(replicas_with("k", "v"), 3U);
  EXPECT_EQ(replicas_with("l", large), 3U);
  EXPECT_EQ(replicas_with("m", "w"), 3U);
  EXPECT_EQ(ask("delete k\r\ntouch l 0\r\n"), "DELETED\r\nTOUCHED\r\n");
  EXPECT_EQ(replicas_with("k", "v"), 0U);
}

TEST_F(ReplicationTest, TheFirstIsReadAlone) {
  start_replicas(Answer::All);
  ask(set_request("k", "v"));

  EXPECT_EQ(ask("get k none\r\nmg k v\r\n"), item("k", "v") + "END\r\nVA 1\r\nv\r\n");
  EXPECT_EQ(servers[1]->count("get") + servers[1]->count("mg") + servers[2]->count("get"), 0U);
}

TEST_F(ReplicationTest, TheFastestIsReadMost) {
  start_replicas(Answer::All, 2, Read::Fastest);
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(3ms); });
  SimPeer& client = connect();

  for (int i = 0; i < 200; ++i) ASSERT_EQ(ask(client, "get k\r\n", 5ms), "END\r\n");

  EXPECT_GT(servers[1]->count("get"), 190U);
  EXPECT_GT(servers[0]->count("get"), 1U);  // now and then, in case it has become the faster one
}

TEST_F(ReplicationTest, WhoHangsIsNotTheFastest) {
  start_replicas(Answer::All, 2, Read::Fastest);
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::never_answer(); });
  SimPeer& client = connect();
  ask(client, "get k\r\n", 1s);

  for (int i = 0; i < 50; ++i) ASSERT_EQ(ask(client, "get k\r\n", 5ms), "END\r\n");
}

TEST_F(ReplicationTest, TheNextIsReadWhereTheFirstIsDown) {
  start_replicas(Answer::First);
  ask(set_request("k", "v"));
  servers[0]->stop();

  EXPECT_EQ(ask("get k\r\nget k none k\r\nmg k v\r\n", 50ms),
            item("k", "v") + "END\r\n" + item("k", "v") + item("k", "v") + "END\r\nVA 1\r\nv\r\n");
}

TEST_F(ReplicationTest, AllMustAnswerWhereAllAreWanted) {
  start_replicas(Answer::All);
  servers[1]->stop();

  EXPECT_EQ(ask(set_request("k", "v"), 50ms), "SERVER_ERROR server1: connection refused\r\n");
  EXPECT_EQ(replicas_with("k", "v"), 2U);
}

TEST_F(ReplicationTest, TheWorstOfAllIsTold) {
  start_replicas(Answer::All);
  servers[2]->items().set("k", "old");

  EXPECT_EQ(ask("add k 0 0 1\r\nv\r\nms k 1 ME\r\nv\r\n"), "NOT_STORED\r\nNS\r\n");
}

TEST_F(ReplicationTest, OneAnswerIsEnoughWhereTheFirstIsWanted) {
  start_replicas(Answer::First);
  servers[0]->stop();
  servers[2]->script([](const MemcachedCommand&) { return ServerAct::answer_after(100ms); });

  EXPECT_EQ(ask(set_request("k", "v")), "STORED\r\n");
  run_for(200ms);
  EXPECT_EQ(replicas_with("k", "v"), 2U);  // the late one has it too
}

TEST_F(ReplicationTest, MoreThanHalfDecideWhereMostAreWanted) {
  start_replicas(Answer::Majority);
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(100ms); });

  EXPECT_EQ(ask(set_request("k", "v")), "STORED\r\n");
  run_for(200ms);
  servers[0]->stop();
  servers[1]->stop();
  EXPECT_TRUE(ask(set_request("k", "w"), 50ms).starts_with("SERVER_ERROR server0"));
}

TEST_F(ReplicationTest, WithoutAMajorityTheWorstIsTold) {
  start_replicas(Answer::Majority, 2);
  servers[1]->items().set("k", "old");

  EXPECT_EQ(ask("add k 0 0 1\r\nv\r\n"), "NOT_STORED\r\n");
}

TEST_F(ReplicationTest, AReadOfAllTakesTheFirstHitAndAMissOnlyOfAll) {
  start_replicas(Answer::All, 3, Read::All);
  servers[2]->items().set("k", "v");
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(2ms); });

  EXPECT_EQ(ask("get k\r\nmg k v\r\nmg k\r\nget none\r\nget k none k\r\n", 100ms),
            item("k", "v") + "END\r\nVA 1\r\nv\r\nHD\r\nEND\r\n" + item("k", "v") + item("k", "v") +
                "END\r\n");
  servers[0]->stop();
  EXPECT_EQ(ask("get none\r\nget k\r\n", 50ms), "END\r\n" + item("k", "v") + "END\r\n");
}

TEST_F(ReplicationTest, ReadsMayBeSpreadOverAll) {
  start_replicas(Answer::All, 3, Read::Spread);
  ask(set_request("k", "v"));

  EXPECT_EQ(ask(repeated("mg k v\r\n", 9)), repeated("VA 1\r\nv\r\n", 9));
  for (const auto& each : servers) EXPECT_EQ(each->count("mg"), 3U);
  servers[1]->stop();
  EXPECT_EQ(ask(repeated("mg k v\r\n", 3), 50ms), repeated("VA 1\r\nv\r\n", 3));
}

TEST_F(ReplicationTest, AGatTouchesAllAndGivesOneValue) {
  start_replicas(Answer::All);
  ask(set_request("k", "v"));

  EXPECT_EQ(ask("gat 100 k\r\n"), item("k", "v") + "END\r\n");
  for (const auto& each : servers) EXPECT_EQ(each->count("gat"), 1U);
}

TEST_F(ReplicationTest, RepliesKeepTheirOrderAndQuietOnesTheirSilence) {
  start_replicas(Answer::All);
  servers[1]->stop();

  EXPECT_EQ(ask("ms q1 1 q\r\nv\r\nms q2 1 q O9\r\nv\r\nmg q1 v q k\r\nmn\r\n", 50ms),
            "NS\r\nNS O9\r\nVA 1 kq1\r\nv\r\nMN\r\n");
}

TEST_F(ReplicationTest, AClientThatLeavesTakesNothingWithIt) {
  start_replicas(Answer::All);
  for (const auto& each : servers) each->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  client.send(set_request("k", "v"));
  run_for(1ms);
  client.reset();
  run_for(100ms);

  EXPECT_EQ(replicas_with("k", "v"), 3U);
  EXPECT_EQ(ask("get k\r\n"), item("k", "v") + "END\r\n");
}

TEST_F(ReplicationTest, FlushAllReachesAllReplicas) {
  start_replicas(Answer::All);
  ask(set_request("k", "v"));

  EXPECT_EQ(ask("flush_all\r\n"), "OK\r\n");
  EXPECT_EQ(replicas_with("k", "v"), 0U);
}

}  // namespace
}  // namespace mcsteady::test
