// Requests on their way through a tree of routes, from the client's bytes to the servers'.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using routing::RouteOptions;
using routing::VerbSet;
using Kind = RouteOptions::Kind;

RouteOptions by_prefix(std::vector<std::string> prefixes, std::vector<RouteOptions> children) {
  RouteOptions route(Kind::ByPrefix);
  route.prefixes = std::move(prefixes);
  route.children = std::move(children);
  return route;
}

class RouteTest : public WorkerTest {
 protected:
  void store_on_first(const std::string& key, const std::string& value) {
    servers[0]->items().set(key, value);
  }
  void start_by_prefix() {
    start_pools({"a", "b"},
                by_prefix({"b:", "x:", "no:", ""},
                          {{"b"}, RouteOptions(Kind::Null), {Kind::Error, "go away"}, {"a"}}));
  }
};

TEST_F(RouteTest, KeysGoToThePoolOfTheirPrefix) {
  start_by_prefix();
  EXPECT_EQ(ask(set_request("b:1", "x") + set_request("1", "y")), "STORED\r\nSTORED\r\n");

  EXPECT_EQ(servers[0]->items().size(), 1U);
  EXPECT_EQ(servers[1]->items().size(), 1U);
  EXPECT_EQ(ask("get b:1\r\nmg 1 v\r\n"), item("b:1", "x") + "END\r\nVA 1\r\ny\r\n");
}

TEST_F(RouteTest, AKeyInBase64GoesWhereItsBytesSay) {
  start_by_prefix();

  EXPECT_EQ(ask("ms Yjox 1 b\r\nx\r\n"), "HD\r\n");  // b:1
  EXPECT_EQ(servers[1]->count("ms"), 1U);
  EXPECT_EQ(ask("mg bm86 v b\r\n"), "SERVER_ERROR go away\r\n");  // no:
}

TEST_F(RouteTest, KeysOfOneRequestGoToSeveralPoolsAndComeBackInOrder) {
  start_by_prefix();
  ask(set_request("b:1", "1") + set_request("2", "2") + set_request("b:3", "3"));

  EXPECT_EQ(ask("get 2 b:3 x:1 b:1 none 2\r\n"),
            item("2", "2") + item("b:3", "3") + item("b:1", "1") + item("2", "2") + "END\r\n");
  EXPECT_EQ(servers[0]->count("get"), 1U);
  EXPECT_EQ(servers[1]->count("get"), 1U);
}

TEST_F(RouteTest, NowhereReadsMissAndWritesAreNotDone) {
  start_by_prefix();
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"get x:1\r\n", "END\r\n"},
      {"gats 0 x:1 x:2\r\n", "END\r\n"},
      {"set x:1 0 0 1\r\nv\r\n", "NOT_STORED\r\n"},
      {"cas x:1 0 0 1 5\r\nv\r\n", "NOT_FOUND\r\n"},
      {"set x:1 0 0 1 noreply\r\nv\r\n", ""},
      {"incr x:1 1\r\n", "NOT_FOUND\r\n"},
      {"delete x:1\r\n", "NOT_FOUND\r\n"},
      {"touch x:1 0\r\n", "NOT_FOUND\r\n"},
      {"mg x:1 v k O7\r\n", "EN kx:1 O7\r\n"},
      {"mg x:1 v q\r\n", ""},
      {"ms x:1 1 O7\r\nv\r\n", "NS O7\r\n"},
      {"md x:1\r\n", "NF\r\n"},
      {"ma x:1 q\r\n", "NF\r\n"},
  };
  for (const auto& [request, reply] : cases) {
    EXPECT_EQ(ask(std::string(request) + "mn\r\n"), std::string(reply) + "MN\r\n") << request;
  }
  EXPECT_EQ(counted("unavailable"), 0U);
}

TEST_F(RouteTest, WhatIsRefusedIsToldWhyUnlessItIsQuiet) {
  start_by_prefix();
  for (const std::string request : {"get no:1\r\n", "get no:1 no:2\r\n", "set no:1 0 0 1\r\nv\r\n",
                                    "delete no:1\r\n", "ms no:1 1\r\nv\r\n"}) {
    EXPECT_EQ(ask(request + "mn\r\n"), "SERVER_ERROR go away\r\nMN\r\n") << request;
  }
  EXPECT_EQ(ask("mg no:1 v q\r\nmg no:1 k\r\nms no:1 1 q\r\nv\r\nmn\r\n"),
            "SERVER_ERROR go away\r\nNS\r\nMN\r\n");
}

TEST_F(RouteTest, FlushAllGoesToAllPoolsThatTheRouteCanReach) {
  start_by_prefix();
  ask(set_request("b:1", "1") + set_request("2", "2"));

  EXPECT_EQ(ask("flush_all\r\n"), "OK\r\n");
  EXPECT_EQ(servers[0]->items().size() + servers[1]->items().size(), 0U);
}

TEST_F(RouteTest, FlushAllMayBeRefusedOrGoNowhere) {
  RouteOptions route(Kind::ByCommand);
  VerbSet flush;
  flush.set(routing::index_of(protocol::Verb::FlushAll));
  route.commands = {flush, ~flush};
  route.children = {{Kind::Error, "never"}, {"a"}};
  start_pools({"a"}, route);

  EXPECT_EQ(ask("flush_all\r\nflush_all noreply\r\nmn\r\n"), "SERVER_ERROR never\r\nMN\r\n");
  EXPECT_EQ(servers[0]->count("flush_all"), 0U);
}

TEST_F(RouteTest, ARateLimitLetsSoManyThrough) {
  RouteOptions route(Kind::RateLimit, "too many");
  route.per_second = 100;
  route.burst = 2;
  route.children = {{"a"}};
  start_pools({"a"}, route);
  store_on_first("k", "v");
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, repeated("get k\r\n", 4)),
            repeated(item("k", "v") + "END\r\n", 2) + repeated("SERVER_ERROR too many\r\n", 2));
  EXPECT_EQ(counted("over_rate"), 2U);
  run_for(10ms);
  EXPECT_EQ(ask(client, "mg k v\r\nmg k v q\r\nmn\r\n", 4ms), "VA 1\r\nv\r\nMN\r\n");
}

TEST_F(RouteTest, ARateLimitMayMissAndIsSharedByWorkers) {
  RouteOptions route(Kind::RateLimit);
  route.per_second = 100;
  route.burst = 4;
  route.children = {{"a"}};
  options.workers = 2;
  start_pools({"a"}, route);
  store_on_first("k", "v");

  EXPECT_EQ(ask("get k k k k\r\n"), item("k", "v") + item("k", "v") + "END\r\n");
}

TEST_F(RouteTest, ThePolicyIsThatOfThePoolThatWasAsked) {
  pool.on_down = protocol::DownPolicy::Error;
  start_by_prefix();
  servers[1]->stop();

  EXPECT_EQ(ask("get b:1\r\nget 1\r\n"), "SERVER_ERROR server1: connection refused\r\nEND\r\n");
}

}  // namespace
}  // namespace mcsteady::test
