// Keys and times to live that servers see otherwise than clients, from bytes to bytes.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;
using Kind = RouteOptions::Kind;

class RewritingTest : public WorkerTest {
 protected:
  static RouteOptions rewrite(protocol::Rewrite how, RouteOptions inner) {
    RouteOptions route(Kind::Rewrite);
    route.rewrite = std::move(how);
    route.children.push_back(std::move(inner));
    return route;
  }
  void start_prefixes() { start_pools({"a"}, rewrite({.strip = "u:", .add = "v2:"}, {"a"})); }
};

TEST_F(RewritingTest, ServersSeeOneKeyAndClientsTheOther) {
  start_prefixes();

  EXPECT_EQ(ask(set_request("u:1", "x") + "get u:1\r\nmg u:1 v k\r\nmg u:2 v k\r\n"),
            "STORED\r\n" + item("u:1", "x") + "END\r\nVA 1 ku:1\r\nx\r\nEN ku:2\r\n");
  EXPECT_EQ(servers[0]->items().value("v2:1"), "x");
  EXPECT_EQ(ask("gat 0 u:1\r\ntouch u:1 0\r\ndelete u:1\r\n"),
            item("u:1", "x") + "END\r\nTOUCHED\r\nDELETED\r\n");
}

TEST_F(RewritingTest, EveryCommandFindsTheServerOfTheKeyThatServersSee) {
  options.route = rewrite({.strip = "u:", .add = "v2:"}, {pool.name});
  start(4);

  for (int i = 0; i < 20; ++i) {
    const std::string key = "u:" + std::to_string(i);
    const std::string number = std::to_string(100 + i);
    const std::string value = item(key, number) + "END\r\n";
    ASSERT_EQ(ask(set_request(key, number) + "get " + key + "\r\ngat 0 " + key + "\r\nmg " + key +
                  "\r\nincr " + key + " 1\r\ndelete " + key + "\r\nmd " + key + "\r\n"),
              "STORED\r\n" + value + value + "HD\r\n" + std::to_string(101 + i) +
                  "\r\nDELETED\r\nNF\r\n");
    store("v2:" + number, "x");
    ASSERT_EQ(ask("get u:" + number + "\r\n"), item("u:" + number, "x") + "END\r\n");
  }
}

TEST_F(RewritingTest, LargeValuesGoBothWays) {
  start_prefixes();
  const std::string large(300'000, 'x');

  EXPECT_EQ(ask(set_request("u:1", large) + "get u:1\r\nmg u:1 v k\r\n", 50ms),
            "STORED\r\n" + item("u:1", large) + "END\r\nVA 300000 ku:1\r\n" + large + "\r\n");
  EXPECT_EQ(servers[0]->items().value("v2:1"), large);
}

TEST_F(RewritingTest, ManyKeysComeInTheOrderAskedUnderTheirNames) {
  start_prefixes();
  ask(set_request("u:1", "1") + set_request("w", "2"));

  EXPECT_EQ(ask("get w u:1 none w\r\n"),
            item("w", "2") + item("u:1", "1") + item("w", "2") + "END\r\n");
}

TEST_F(RewritingTest, QuietOnesStaySilentAndErrorsVerbatim) {
  start_prefixes();
  ask(set_request("u:1", "text"));

  EXPECT_EQ(ask("mg u:none v q k\r\nms u:2 1 q\r\nx\r\nincr u:1 1\r\nmn\r\n"),
            "CLIENT_ERROR cannot increment or decrement non-numeric value\r\nMN\r\n");
}

TEST_F(RewritingTest, AKeyThatBecomesTooLongIsRefusedAlone) {
  start_prefixes();
  const std::string key(249, 'k');

  EXPECT_EQ(
      ask("get " + key + "\r\n" + set_request(key, "v") + "mn\r\n"),
      "CLIENT_ERROR bad command line format\r\nCLIENT_ERROR bad command line format\r\nMN\r\n");
  EXPECT_EQ(servers[0]->requests().size(), 0U);
}

TEST_F(RewritingTest, ADeadServerIsToldOfAsEver) {
  start_prefixes();
  servers[0]->stop();

  EXPECT_EQ(ask("get u:1\r\nmg u:1 k v\r\n" + set_request("u:1", "v"), 50ms),
            "END\r\nEN ku:1\r\nSERVER_ERROR server0: connection refused\r\n");
}

TEST_F(RewritingTest, WhatAFailoverStoresElsewhereLivesShort) {
  RouteOptions route(Kind::Failover);
  route.children = {{"main"}, rewrite({.ttl_max = 60s}, {"gutter"})};
  route.failover.causes.set();
  start_pools({"main", "gutter"}, route);

  ask(set_request("k", "v"));
  EXPECT_EQ(servers[0]->requests().back(), "set k 0 0 1");
  servers[0]->stop();
  EXPECT_EQ(ask(set_request("k", "v") + "ms m 1\r\nv\r\nget k\r\n", 50ms),
            "STORED\r\nHD\r\n" + item("k", "v") + "END\r\n");
  EXPECT_EQ(servers[1]->requests(),
            (std::vector<std::string>{"set k 0 60 1", "ms m 1 T60", "get k"}));
}

}  // namespace
}  // namespace mcsteady::test
