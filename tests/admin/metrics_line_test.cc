#include "mcsteady/admin/metrics_line.h"

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class MetricsLineTest : public WorkerTest {
 protected:
  void start_with_line(std::size_t server_count) {
    start(server_count);
    line.emplace(log, registry, *memory, fleet);
  }
  /// A field of the newest line for the proxy.
  std::string field(std::string_view name) const {
    return log.last("metrics").value().field(name).value_or("no such field");
  }
  std::optional<admin::MetricsLine> line;
};

TEST_F(MetricsLineTest, TellsWhatCameSinceTheLineBefore) {
  start_with_line(1);
  ask("set a 0 0 1\r\nx\r\nget a b\r\nbogus\r\n");
  line->write();
  EXPECT_EQ(field("commands"), "2");
  EXPECT_EQ(field("get_hits"), "1");
  EXPECT_EQ(field("get_misses"), "1");
  EXPECT_EQ(field("refusals"), "1");
  EXPECT_EQ(field("clients"), "1");
  ask("get a\r\n");
  line->write();

  EXPECT_EQ(field("commands"), "1");
  EXPECT_EQ(field("get_hits"), "1");
  EXPECT_EQ(field("get_misses"), "0");
  EXPECT_EQ(field("clients"), "2");
}

TEST_F(MetricsLineTest, LeavesOutWhatWasBeforeItBegan) {
  start(1);
  ask("get a\r\n");
  line.emplace(log, registry, *memory, fleet);
  line->write();

  EXPECT_EQ(field("commands"), "0");
}

TEST_F(MetricsLineTest, ItsQuantilesAreOfTheIntervalAlone) {
  start_with_line(1);
  servers[0]->next(ServerAct::answer_after(100ms));
  ask("get a\r\n", 200ms);
  line->write();
  EXPECT_GE(std::stoul(field("request_p99_us")), 100'000U);
  ask("get a\r\n");
  line->write();

  EXPECT_LT(std::stoul(field("request_p99_us")), 10'000U);
}

TEST_F(MetricsLineTest, CountsTimeoutsByCauseAndTheirConsequences) {
  server.health.max_failures = 1;
  start_with_line(2);
  servers[1]->next(ServerAct::never_answer());
  ask("get " + key_on(1) + "\r\n", 400ms);
  line->write();

  EXPECT_EQ(field("timeouts_server"), "1");
  EXPECT_EQ(field("timeouts_recovered"), "0");
  EXPECT_EQ(field("incidents"), "1");
  EXPECT_EQ(field("down_marks"), "1");
  EXPECT_EQ(field("unavailable"), "1");
}

TEST_F(MetricsLineTest, CountsATimeoutThatWasRecovered) {
  start_with_line(1);
  SimPeer& client = connect();
  ask(client, "get a\r\n");
  client.send("get a\r\n");
  run_for(120us);
  proxy_side.set_conditions({.timers_first = 1.0});
  proxy_side.stall(400ms);
  run_for(5ms);
  line->write();

  EXPECT_EQ(client.received(), "END\r\n");
  EXPECT_EQ(field("timeouts_recovered"), "1");
  EXPECT_EQ(field("incidents"), "0");
}

TEST_F(MetricsLineTest, HasALineForEachServerThatWasAskedOrIsDown) {
  server.health.max_failures = 1;
  start_with_line(3);
  servers[1]->stop();
  ask("get " + key_on(0) + "\r\nget " + key_on(1) + "\r\n");
  line->write();
  EXPECT_EQ(log.count("server metrics"), 2U);
  log.clear();
  line->write();

  EXPECT_EQ(log.count("server metrics"), 1U);
  EXPECT_EQ(log.last("server metrics")->field("server"), "server1");
  EXPECT_EQ(log.last("server metrics")->field("state"), "down");
  EXPECT_EQ(log.last("server metrics")->field("requests"), "0");
}

TEST_F(MetricsLineTest, TellsOfAServerWhatItDidInTheInterval) {
  start_with_line(1);
  ask("get a\r\nget b\r\n");
  line->write();
  ask("get a\r\n");
  line->write();
  const auto told = log.last("server metrics").value();

  EXPECT_EQ(told.field("requests"), "1");
  EXPECT_EQ(told.field("answered"), "1");
  EXPECT_EQ(told.field("bytes_sent"), "7");
  EXPECT_EQ(told.field("bytes_received"), "5");
  EXPECT_EQ(told.field("connections"), "1");
}

}  // namespace
}  // namespace mcsteady::test
