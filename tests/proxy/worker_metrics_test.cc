// What a worker counts.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class WorkerMetricsTest : public WorkerTest {
 protected:
  /// get_keys, get_hits, get_misses.
  std::vector<std::uint64_t> gets() const {
    return {counted("get_keys"), counted("get_hits"), counted("get_misses")};
  }
};
using Counts = std::vector<std::uint64_t>;

TEST_F(WorkerMetricsTest, CountsEachCommandUnderItsName) {
  start(1);
  ask("get a\r\ngets a b\r\nset a 0 0 1\r\nx\r\nmg a\r\nmg "
      "a\r\nmn\r\nversion\r\nbogus\r\nflush_all\r\n");

  EXPECT_EQ(counted("cmd_get"), 1U);
  EXPECT_EQ(counted("cmd_gets"), 1U);
  EXPECT_EQ(counted("cmd_set"), 1U);
  EXPECT_EQ(counted("cmd_mg"), 2U);
  EXPECT_EQ(counted("cmd_mn"), 1U);
  EXPECT_EQ(counted("cmd_version"), 1U);
  EXPECT_EQ(counted("cmd_flush_all"), 1U);
  EXPECT_EQ(counted("refusals"), 1U);
}

TEST_F(WorkerMetricsTest, CountsKeysHitsAndMissesOfEveryRetrieval) {
  start(2);
  store("a", "1");
  SimPeer& client = connect();
  ask(client, "get a\r\nget b\r\n");
  EXPECT_EQ(gets(), (Counts{2, 1, 1}));
  ask(client, "get a b c a\r\n");
  EXPECT_EQ(gets(), (Counts{6, 3, 3}));
  ask(client, "gats 0 a\r\nmg a v\r\nmg a\r\nmg b v\r\nmg b q\r\n");

  EXPECT_EQ(gets(), (Counts{11, 6, 5}));
}

TEST_F(WorkerMetricsTest, CountsNothingElseAsAHit) {
  start(1);
  store("n", "1");
  ask("ma n v\r\nincr n 1\r\nmd n\r\n");

  EXPECT_EQ(gets(), (Counts{0, 0, 0}));
}

TEST_F(WorkerMetricsTest, CountsKeysWithoutAServerAsMissesAndRequestsAsUnavailable) {
  start(2);
  store(key_on(0), "v");
  servers[1]->stop();
  ask("get " + key_on(1) + "\r\nget " + key_on(0) + " " + key_on(1) + "\r\nmg " + key_on(1) +
      " v\r\nset " + key_on(1) + " 0 0 1\r\nx\r\n");

  EXPECT_EQ(gets(), (Counts{4, 1, 3}));
  EXPECT_EQ(counted("unavailable"), 4U);
}

TEST_F(WorkerMetricsTest, CountsBytesOfClientsInBothDirections) {
  start(1);
  ask("get a\r\nmn\r\n");

  EXPECT_EQ(counted("bytes_read"), 11U);
  EXPECT_EQ(counted("bytes_written"), 9U);
}

TEST_F(WorkerMetricsTest, CountsTheClientsThatAreThere) {
  start(1);
  connect();
  SimPeer& second = connect();
  EXPECT_EQ(registry.snapshot().gauge("clients"), 2);
  second.close();
  run_for(1ms);

  EXPECT_EQ(registry.snapshot().gauge("clients"), 1);
  EXPECT_EQ(counted("clients_accepted"), 2U);
  EXPECT_EQ(closed("client_closed"), 1U);
}

TEST_F(WorkerMetricsTest, TakesTheTimeFromReadingARequestToTheEndOfItsReply) {
  start(1);
  servers[0]->next(ServerAct::answer_after(100ms));
  ask("get a\r\n", 200ms);
  const Duration taken = registry.snapshot().quantile("request_time", "", 1.0);

  EXPECT_GE(taken, 100ms);
  EXPECT_LE(taken, 120ms);
}

TEST_F(WorkerMetricsTest, CountsRequestsOfEachServer) {
  start(2);
  ask("get " + key_on(0) + "\r\nget " + key_on(0) + " " + key_on(1) + "\r\n");
  const metrics::Snapshot now = registry.snapshot();

  EXPECT_EQ(now.counter("server_requests", "server0"), 2U);
  EXPECT_EQ(now.counter("server_answered", "server1"), 1U);
}

}  // namespace
}  // namespace mcsteady::test
