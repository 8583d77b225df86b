// The text of `stats` and `stats servers`, by itself and through a worker.

#include "mcsteady/admin/stats.h"

#include <unistd.h>

#include <map>

#include "proxy/worker_fixture.h"
#include "support/fake_clock.h"

namespace mcsteady::test {
namespace {

using Values = std::map<std::string, std::string>;

/// The STAT lines of a reply by name. Each name stands once, and END behind the last.
Values values_of(const std::string& reply) {
  EXPECT_TRUE(reply.ends_with("END\r\n")) << reply;
  Values values;
  std::size_t at = 0;
  while (reply.compare(at, 5, "STAT ") == 0) {
    const std::size_t end = reply.find("\r\n", at);
    const std::size_t blank = reply.find(' ', at + 5);
    const std::string name = reply.substr(at + 5, blank - at - 5);
    EXPECT_TRUE(values.emplace(name, reply.substr(blank + 1, end - blank - 1)).second) << name;
    at = end + 2;
  }
  EXPECT_EQ(reply.substr(at), "END\r\n");
  return values;
}

class StatsTest : public WorkerTest {
 protected:
  void start_with_stats(std::size_t server_count) {
    stats_source = &stats_of_later;
    start(server_count);
    stats_of_later.stats_source.emplace(admin::StatsFacts{.version = "1.0-test",
                                                          .workers = 2,
                                                          .clients_max = 77,
                                                          .started_at = network.now() - 90s},
                                        network.clock(), registry, *memory, fleet);
  }
  Values values(std::string_view request) { return values_of(ask(request)); }

  /// The worker borrows its source before the memory that the source tells of is there.
  struct Later final : proxy::StatsSource {
    std::string stats(std::string_view arguments) override {
      return stats_source->stats(arguments);
    }
    std::optional<admin::Stats> stats_source;
  } stats_of_later;
};

TEST_F(StatsTest, TellsWhatItIsInMemcachedsNames) {
  start_with_stats(1);
  const Values now = values("stats\r\n");

  EXPECT_EQ(now.at("pid"), std::to_string(getpid()));
  EXPECT_EQ(now.at("uptime"), "90");
  EXPECT_EQ(now.at("version"), "1.0-test");
  EXPECT_EQ(now.at("pointer_size"), "64");
  EXPECT_EQ(now.at("threads"), "2");
  EXPECT_EQ(now.at("max_connections"), "77");
  EXPECT_EQ(now.at("limit_maxbytes"), std::to_string(ceiling.value));
  EXPECT_GT(std::stoul(now.at("bytes")), 0U);
  EXPECT_GT(std::stoll(now.at("time")), 1'700'000'000);
}

TEST_F(StatsTest, CountsWhatMemcachedCountsUnderItsNames) {
  start_with_stats(2);
  ask("set a 0 0 1\r\nx\r\nadd a 0 0 1\r\nx\r\nms b 1\r\ny\r\nget a b missing\r\nmg a v\r\n"
      "touch a 0\r\ngat 0 a\r\nflush_all\r\n");
  const Values now = values("stats\r\n");

  EXPECT_EQ(now.at("cmd_get"), "5");  // keys, as memcached counts them
  EXPECT_EQ(now.at("get_hits"), "4");
  EXPECT_EQ(now.at("get_misses"), "1");
  EXPECT_EQ(now.at("cmd_set"), "3");
  EXPECT_EQ(now.at("cmd_touch"), "2");
  EXPECT_EQ(now.at("cmd_flush"), "1");
  EXPECT_EQ(now.at("cmd_meta"), "2");
  EXPECT_EQ(now.at("curr_connections"), "2");
  EXPECT_EQ(now.at("total_connections"), "2");
  EXPECT_EQ(now.at("rejected_connections"), "0");
}

TEST_F(StatsTest, TellsItsOwnCountersAndThoseOfAllServersTogether) {
  start_with_stats(2);
  ask("get " + key_on(0) + "\r\nget " + key_on(1) + "\r\n");
  const Values now = values("stats\r\n");

  EXPECT_EQ(now.at("proxy_cmd_get"), "2");
  EXPECT_EQ(now.at("proxy_clients_closed_stuck"), "0");
  EXPECT_TRUE(now.contains("proxy_request_time_p99_us"));
  EXPECT_TRUE(now.contains("proxy_loop_lag_max_us"));
  EXPECT_EQ(now.at("server_requests"), "2");
  EXPECT_EQ(now.at("server_timeouts_recovered"), "0");
}

TEST_F(StatsTest, TellsOfEachServerByItsName) {
  start_with_stats(2);
  ask("get " + key_on(0) + "\r\nget " + key_on(0) + "\r\nget " + key_on(1) + "\r\n");
  const Values now = values("stats servers\r\n");

  EXPECT_EQ(now.at("server0:state"), "up");
  EXPECT_EQ(now.at("server0:address"), "10.0.0.1:11211");
  EXPECT_EQ(now.at("server0:requests"), "2");
  EXPECT_EQ(now.at("server1:requests"), "1");
  EXPECT_EQ(now.at("server1:connections"), "1");
  EXPECT_EQ(now.at("server1:incidents"), "0");
  EXPECT_GE(std::stoul(now.at("server0:response_time_p50_us")), 90U);
}

TEST_F(StatsTest, TellsThatAServerIsDown) {
  server.health.max_failures = 1;
  start_with_stats(2);
  servers[1]->stop();
  ask("get " + key_on(1) + "\r\n");
  const Values now = values("stats servers\r\n");

  EXPECT_EQ(now.at("server0:state"), "up");
  EXPECT_EQ(now.at("server1:state"), "down");
  EXPECT_EQ(now.at("server1:down_marks"), "1");
  EXPECT_EQ(now.at("server1:failed_connect_refused"), "1");
}

TEST_F(StatsTest, TellsOfPoolsByTheirNames) {
  start_with_stats(1);
  metrics::Counter joined;
  metrics::Gauge members;
  joined.add(3);
  members.set(2);
  registry.add({"pool_joined", "main"}, joined);
  registry.add({"pool_servers", "main"}, members);

  EXPECT_EQ(values("stats pools\r\n"), (Values{{"main:joined", "3"}, {"main:servers", "2"}}));
}

TEST_F(StatsTest, TakesBlanksAroundItsArgument) {
  start_with_stats(1);

  EXPECT_EQ(values("stats  servers \r\n").at("server0:state"), "up");
}

TEST_F(StatsTest, RefusesOtherArgumentsInOneLine) {
  start_with_stats(1);

  EXPECT_EQ(ask("stats slabs\r\nmn\r\n"),
            "CLIENT_ERROR this proxy answers stats, stats servers and stats pools\r\nMN\r\n");
}

TEST_F(StatsTest, ItsReplyKeepsItsPlaceInTheOrder) {
  start_with_stats(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  const std::string reply = ask("get a\r\nstats servers\r\nmn\r\n", 100ms);

  EXPECT_TRUE(reply.starts_with("END\r\nSTAT server0:state up\r\n")) << reply;
  EXPECT_TRUE(reply.ends_with("END\r\nMN\r\n"));
}

}  // namespace
}  // namespace mcsteady::test
