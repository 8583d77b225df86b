// Copies of requests for another pool, whose answers nobody waits for.

#include "proxy/side_requests.h"
#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;

class ShadowTest : public WorkerTest {
 protected:
  void start_shadow(std::uint32_t share = RouteOptions::kWhole) {
    RouteOptions route(RouteOptions::Kind::Shadow);
    route.children = {{"main"}, {"copy"}};
    route.share = share;
    start_pools({"main", "copy"}, route);
  }
  static std::string many_sets(int count) {
    std::string requests;
    for (int i = 0; i < count; ++i) requests += set_request("key" + std::to_string(i), "v");
    return requests;
  }
};

TEST_F(ShadowTest, TheCopyGetsTheSameRequestsAndTheClientOneAnswer) {
  start_shadow();

  EXPECT_EQ(ask(set_request("k", "v") + "get k\r\nmg k v\r\ndelete none\r\n"),
            "STORED\r\n" + item("k", "v") + "END\r\nVA 1\r\nv\r\nNOT_FOUND\r\n");
  EXPECT_EQ(servers[1]->items().value("k"), "v");
  EXPECT_EQ(servers[1]->requests(), servers[0]->requests());
  EXPECT_EQ(counted("side_requests"), 4U);
}

TEST_F(ShadowTest, OnlyAShareOfTheKeysIsCopiedAndAlwaysTheSame) {
  start_shadow(1000);  // 10 %
  ask(many_sets(1000), 100ms);
  const std::size_t copied = servers[1]->items().size();

  EXPECT_NEAR(static_cast<double>(copied), 100, 35);
  ask(many_sets(1000), 100ms);
  EXPECT_EQ(servers[1]->items().size(), copied);
  EXPECT_EQ(servers[0]->items().size(), 1000U);
}

TEST_F(ShadowTest, ACopyThatNeverAnswersDelaysNobodyAndIsBounded) {
  start_shadow();
  servers[1]->script([](const MemcachedCommand&) { return ServerAct::never_answer(); });

  EXPECT_EQ(ask(many_sets(1000), 50ms), repeated("STORED\r\n", 1000));
  EXPECT_EQ(counted("side_requests"), proxy::SideRequests::kUnderWayMax);
  EXPECT_EQ(counted("side_requests_dropped"), 1000 - proxy::SideRequests::kUnderWayMax);
  run_for(10s);  // they are late, and make room
  EXPECT_EQ(counted("side_requests_failed"), proxy::SideRequests::kUnderWayMax);
  ask(set_request("k", "v"));
  EXPECT_EQ(counted("side_requests"), proxy::SideRequests::kUnderWayMax + 1);
}

TEST_F(ShadowTest, CopiesTakeNoMoreThanTheirBytes) {
  start_shadow();
  servers[1]->script([](const MemcachedCommand&) { return ServerAct::never_answer(); });
  const std::string large(1 << 20, 'x');

  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(ask(set_request("k" + std::to_string(i), large), 20ms), "STORED\r\n");
  }
  EXPECT_EQ(counted("side_requests"), 3U);  // of 4 MiB
  EXPECT_EQ(counted("side_requests_dropped"), 3U);
}

TEST_F(ShadowTest, ADeadCopyIsNoMatterOfTheClients) {
  start_shadow();
  servers[1]->stop();

  EXPECT_EQ(ask(set_request("k", "v") + "get k k none\r\nflush_all\r\n", 50ms),
            "STORED\r\n" + item("k", "v") + item("k", "v") + "END\r\nOK\r\n");
}

}  // namespace
}  // namespace mcsteady::test
