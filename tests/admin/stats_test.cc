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
                                                          .started_at = network.now() - 90s,
                                                          .settings = settings(),
                                                          .listeners = {kProxy, kLocal}},
                                        network.clock(), registry, *memory, fleet);
  }
  static inline const net::Endpoint kLocal{.host = {}, .port = 0, .unix_path = "/run/mc"};
  admin::Settings settings() const {
    proxy::WorkerOptions configured = options;
    configured.client.clients_max = 77;
    configured.listeners.push_back({.socket = {.endpoint = kLocal}});
    return admin::settings_of(configured, 2, ceiling);
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

  EXPECT_EQ(now.at("cmd_get"), "4");  // keys, as memcached counts them: those of gat are touched
  EXPECT_EQ(now.at("get_hits"), "3");
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

TEST_F(StatsTest, AnswersOtherArgumentsAsMemcachedDoes) {
  start_with_stats(1);

  EXPECT_EQ(ask("stats bogus\r\nstats noreply\r\nmn\r\n"), "ERROR\r\nERROR\r\nMN\r\n");
}

TEST_F(StatsTest, CountsHitsAndMissesOfEachCommandUnderMemcachedsNames) {
  start_with_stats(1);
  ask("set n 0 0 1\r\n5\r\nincr n 1\r\nincr no 1\r\ndecr n 1\r\nma n\r\nma n MD\r\nma no M-\r\n"
      "touch n 0\r\ntouch no 0\r\ngat 0 n no\r\ngat 0 n\r\ngat 0 no\r\nmg n T0\r\nmg n v T0\r\n"
      "mg no T0\r\nmg T s\r\ncas n 0 0 1 99\r\n1\r\ncas no 0 0 1 1\r\n1\r\n"
      "ms n 1 C99\r\n1\r\nms C1 1\r\n1\r\ndelete n\r\ndelete n\r\nmd no\r\nmd C1\r\n",
      20ms);
  const Values now = values("stats\r\n");

  EXPECT_EQ(now.at("incr_hits"), "2");
  EXPECT_EQ(now.at("incr_misses"), "1");
  EXPECT_EQ(now.at("decr_hits"), "2");
  EXPECT_EQ(now.at("decr_misses"), "1");
  EXPECT_EQ(now.at("touch_hits"), "5");
  EXPECT_EQ(now.at("touch_misses"), "3");
  EXPECT_EQ(now.at("cmd_touch"), "8");
  EXPECT_EQ(now.at("cas_badval"), "2");
  EXPECT_EQ(now.at("cas_misses"), "1");
  EXPECT_EQ(now.at("cas_hits"), "0");
  EXPECT_EQ(now.at("delete_hits"), "2");
  EXPECT_EQ(now.at("delete_misses"), "2");
}

TEST_F(StatsTest, IsAMemcachedThatStoresNothing) {
  start_with_stats(1);
  const Values now = values("stats\r\n");

  for (const char* name : {"curr_items", "total_items", "evictions", "reclaimed"}) {
    EXPECT_EQ(now.at(name), "0") << name;
  }
  EXPECT_EQ(ask("stats items\r\n"), "END\r\n");
  EXPECT_EQ(ask("stats slabs\r\n"), "STAT active_slabs 0\r\nSTAT total_malloced 0\r\nEND\r\n");
  EXPECT_EQ(ask("stats sizes\r\n"), "STAT sizes_status disabled\r\nEND\r\n");
}

TEST_F(StatsTest, TellsItsSettings) {
  start_with_stats(1);
  const Values now = values("stats settings\r\n");

  EXPECT_EQ(now.at("maxconns"), "77");
  EXPECT_EQ(now.at("tcpport"), "11211");
  EXPECT_EQ(now.at("inter"), "127.0.0.1");
  EXPECT_EQ(now.at("domain_socket"), "/run/mc");
  EXPECT_EQ(now.at("lru_crawler"), "no");
  EXPECT_EQ(now.at("auth_enabled_sasl"), "no");
  EXPECT_EQ(values("stats conns\r\n"), (Values{{"0:addr", "tcp:127.0.0.1:11211"},
                                               {"0:state", "conn_listening"},
                                               {"1:addr", "unix:/run/mc"},
                                               {"1:state", "conn_listening"}}));
}

TEST_F(StatsTest, ResetCountsFromThenOnAndHidesNothingFromOthers) {
  start_with_stats(2);
  SimPeer& client = connect();
  ask(client, "get " + key_on(0) + "\r\n");
  EXPECT_EQ(ask(client, "stats reset\r\n"), "RESET\r\n");
  ask(client, "get " + key_on(0) + "\r\nget " + key_on(1) + "\r\n");
  const Values now = values_of(ask(client, "stats\r\n"));

  EXPECT_EQ(now.at("cmd_get"), "2");
  EXPECT_EQ(now.at("total_connections"), "0");
  EXPECT_EQ(now.at("curr_connections"), "1");
  EXPECT_EQ(values_of(ask(client, "stats servers\r\n")).at("server0:requests"), "1");
  EXPECT_EQ(counted("get_keys"), 3U);
}

TEST_F(StatsTest, TellsOfItsOwnCountersAlone) {
  start_with_stats(1);
  ask("get a\r\n");
  const Values now = values("stats proxy\r\n");

  EXPECT_EQ(now.at("proxy_cmd_get"), "1");
  EXPECT_EQ(now.at("server_requests"), "1");
  EXPECT_FALSE(now.contains("pid"));
}

TEST_F(StatsTest, TellsWhatTheStateOfServersRestsOn) {
  server.health.max_failures = 2;
  start_with_stats(2);
  servers[1]->stop();
  SimPeer& client = connect();
  ask(client, "get " + key_on(1) + "\r\n");
  const Values doubted = values("stats health\r\n");
  ask(client, "get " + key_on(1) + "\r\n");
  const Values down = values("stats health\r\n");

  EXPECT_EQ(doubted.at("servers_up"), "2");
  EXPECT_EQ(doubted.at("server1:incidents_in_a_row"), "1");
  EXPECT_FALSE(doubted.contains("server1:next_probe_in_us"));
  EXPECT_EQ(down.at("servers_up"), "1");
  EXPECT_EQ(down.at("servers_down"), "1");
  EXPECT_EQ(down.at("server1:state"), "down");
  EXPECT_EQ(down.at("server1:down_marks"), "1");
  EXPECT_GT(std::stoul(down.at("server1:next_probe_in_us")), 1'000'000U);
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
