// Trees of routes in YAML, and every way in which one can be wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "mcsteady/config/config.h"
#include "support/source_dir.h"

namespace mcsteady::config {
namespace {

using protocol::Verb;
using testing::HasSubstr;

const std::string kPools = "pools: { a: { servers: [a:1] }, b: { servers: [b:1] } }\n";

/// Where a request goes: a pool's name, what an error says, or "nowhere".
std::string where(const std::string& yaml, Verb verb, std::string_view key) {
  const auto config = parse_config(kPools + yaml, "f");
  if (!config) return config.error().front().text();
  const routing::RouteTree tree(config->worker.route);
  const routing::Route& route = routing::RouteTree::select(tree.root(), verb, key);
  if (route.kind == routing::RouteOptions::Kind::Pool) return tree.pools()[route.pool];
  return route.kind == routing::RouteOptions::Kind::Null ? "nowhere" : route.text;
}

std::string errors(const std::string& yaml) {
  const auto config = parse_config(kPools + yaml, "f");
  std::string text;
  if (config) return text;
  for (const ConfigError& error : config.error()) text += error.text() + "\n";
  return text;
}

TEST(ConfigRoutes, TakeTheLongestPrefix) {
  const std::string yaml = "route: { by_prefix: { \"u:\": b, \"u:x\": nowhere, \"\": a } }";

  EXPECT_EQ(where(yaml, Verb::Get, "u:1"), "b");
  EXPECT_EQ(where(yaml, Verb::Get, "u:x1"), "nowhere");
  EXPECT_EQ(where(yaml, Verb::Get, "v"), "a");
}

TEST(ConfigRoutes, TakeACommandBeforeItsGroupAndThatBeforeTheRest) {
  const std::string yaml =
      "route: { by_command: { otherwise: { error: rest }, reads: a, writes: b, gets: nowhere } }";

  EXPECT_EQ(where(yaml, Verb::Get, "k"), "a");
  EXPECT_EQ(where(yaml, Verb::Gets, "k"), "nowhere");
  EXPECT_EQ(where(yaml, Verb::Set, "k"), "b");
  EXPECT_EQ(where("route: { by_command: { otherwise: b, get: a } }", Verb::Set, "k"), "b");
}

TEST(ConfigRoutes, DenyCommandsAndPrefixes) {
  const std::string yaml =
      "route: { deny: { commands: [flush_all, delete], prefixes: [\"s:\"], message: no }, route: a "
      "}";

  EXPECT_EQ(where(yaml, Verb::Delete, "k"), "no");
  EXPECT_EQ(where(yaml, Verb::Get, "s:1"), "no");
  EXPECT_EQ(where(yaml, Verb::Get, "k"), "a");
}

TEST(ConfigRoutes, AllowCommandsAndPrefixesAlone) {
  const std::string yaml =
      "route: { allow: { commands: [reads], prefixes: [\"s:\", \"t:\"] }, route: a }";

  EXPECT_EQ(where(yaml, Verb::Get, "s:1"), "a");
  EXPECT_EQ(where(yaml, Verb::Set, "s:1"), "not allowed by the route");
  EXPECT_EQ(where(yaml, Verb::Get, "k"), "not allowed by the route");
}

TEST(ConfigRoutes, AreUsedByNameToo) {
  const std::string yaml =
      "routes: { users: { by_prefix: { \"u:1\": b, \"\": a } } }\n"
      "route: { by_prefix: { \"u:\": users, \"\": nowhere } }";

  EXPECT_EQ(where(yaml, Verb::Get, "u:1"), "b");
  EXPECT_EQ(where(yaml, Verb::Get, "u:2"), "a");
}

TEST(ConfigRoutes, ReadBackAsTheyAreDescribed) {
  const std::string yaml =
      "route: { deny: { commands: [flush_all], prefixes: [\"\\\"\\\\\"] }, route: { by_command: "
      "{ reads: { failover: [a, b], on: [lost, miss] }, delete: { error: \"it's no\" }, otherwise: "
      "nowhere } } }";
  const auto config = parse_config(kPools + yaml, "f");
  ASSERT_TRUE(config) << config.error().front().text();
  const std::string once = describe(*config);
  const auto again = parse_config(once, "f");

  ASSERT_TRUE(again) << again.error().front().text();
  EXPECT_EQ(describe(*again), once);
}

TEST(ConfigRoutes, EveryFaultIsToldWithItsPlace) {
  EXPECT_EQ(errors("route: c"), "f:2:8: route: 'c' is no pool; there is 'a', 'b'\n");
  EXPECT_EQ(errors("route: { by_prefix: { x: c, \"\": a } }"),
            "f:2:26: route: 'c' is no pool; there is 'a', 'b'\n");
  EXPECT_EQ(errors("route: { by_prefix: { x: a, x: b, \"\": a } }"),
            "f:2:29: 'x' is given twice; the first is on line 2, keep one\n");
  EXPECT_EQ(errors("route: { by_prefix: { x: a } }"),
            "f:2:10: by_prefix: does not say where all other keys go; add \"\": a pool, or "
            "nowhere\n");
  EXPECT_EQ(errors("route: { by_prefix: { \"x y\": a, \"\": a } }"),
            "f:2:23: by_prefix: no key begins with 'x y'; keys have up to 250 bytes, no blanks and "
            "no control bytes\n");
  EXPECT_EQ(errors("route: { by_command: { gett: a, otherwise: b } }"),
            "f:2:24: by_command: 'gett' is no command; did you mean 'gets'?\n");
  EXPECT_EQ(errors("route: { by_command: { reads: a } }"),
            "f:2:10: by_command: does not say where all other commands go; add otherwise: a pool, "
            "or nowhere\n");
  EXPECT_EQ(errors("route: [a]"),
            "f:2:8: route: a list where a route belongs; name a pool, or write a map like { "
            "by_prefix: { \"user:\": users, \"\": main } }\n");
  EXPECT_THAT(errors("route: { pool: a }"), HasSubstr("f:2:8: route: says nowhere what it is"));
  EXPECT_THAT(errors("route: { by_prefix: { \"\": a }, error: x }"),
              HasSubstr("f:2:8: route: is both by_prefix, error; put one into the other"));
  EXPECT_THAT(errors("route: { deny: { commands: [get] } }"), HasSubstr("route: missing"));
  EXPECT_THAT(errors("route: { deny: {}, route: a }"),
              HasSubstr("f:2:10: deny: names nothing; give commands, prefixes or both"));
  EXPECT_THAT(errors("route: { deny: { commands: [otherwise] }, route: a }"),
              HasSubstr("commands: 'otherwise' is no command"));
}

TEST(ConfigRoutes, FailoversSayOnWhichCausesTheyGoOn) {
  using upstream::Failure;
  const auto rule = [](const std::string& on) {
    return parse_config(kPools + "route: { failover: [a, b]" + on + " }", "f")
        ->worker.route.failover;
  };
  EXPECT_TRUE(rule("").goes_on(Failure::ConnectionLost, true));
  EXPECT_FALSE(rule("").on_miss);
  EXPECT_FALSE(rule(", on: [timeout]").goes_on(Failure::ConnectionLost, true));
  EXPECT_TRUE(rule(", on: [timeout]").goes_on(Failure::ServerLate, true));
  EXPECT_FALSE(rule(", on: [timeout]").goes_on(Failure::ServerLate, false));
  EXPECT_TRUE(rule(", on: [down, miss]").goes_on(Failure::ServerDown, false));
  EXPECT_TRUE(rule(", on: [down, miss]").on_miss);
  EXPECT_EQ(errors("route: { failover: [a] }"),
            "f:2:20: failover: takes a list of two routes or more, in the order in which they are "
            "asked\n");
  EXPECT_EQ(errors("route: { failover: [a, b], on: [late] }"),
            "f:2:28: on: 'late' is none of down, connect, timeout, lost, miss\n");
  EXPECT_EQ(errors("routes: { r: { failover: [a, r] } }\nroute: r"),
            "f:2:30: route: 'r' leads back to itself; end it in a pool\n");
}

TEST(ConfigRoutes, NamedOnesAreHeldToTheSame) {
  EXPECT_EQ(errors("routes: { r: { by_prefix: { \"\": s } }, s: r }\nroute: r"),
            "f:2:43: route: 'r' leads back to itself; end it in a pool\n");
  EXPECT_EQ(errors("routes: { a: b }\nroute: a"),
            "f:2:11: routes: 'a' is the name of a pool already; give the route another one\n");
  EXPECT_EQ(errors("routes: { r: c }\nroute: a"),
            "f:2:14: route: 'c' is no pool and no route; there is 'a', 'b'\n");
}

TEST(ConfigRoutes, ATreeThatNamesItselfOverAndOverIsBounded) {
  std::string yaml = "routes:\n  r0: a\n";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "r" + std::to_string(i - 1);
    yaml +=
        "  r" + std::to_string(i) + ": { by_prefix: { x: " + below + ", \"\": " + below + " } }\n";
  }

  EXPECT_THAT(errors(yaml + "route: r39"), HasSubstr("more than 10000 parts"));
}

/// As `--check` prints it.
std::string printed_file(const std::string& yaml) {
  const auto config = parse_config(yaml, "f");
  if (!config) return config.error().front().text();
  const std::string page = describe(*config);
  const std::size_t at = page.find("route:");
  return page.substr(at, page.find('\n', at) - at);
}
std::string printed(const std::string& yaml) {
  return printed_file(kPools + yaml);
}

TEST(ConfigRoutes, ReplicateToSeveral) {
  EXPECT_EQ(
      printed("route: { replicate: [a, b] }"),
      "route: { replicate: [a, b], answer: all, read: first, on: [down, connect, timeout, lost] "
      "}");
  EXPECT_EQ(printed("route: { replicate: [a, b], answer: majority, read: all, on: [miss] }"),
            "route: { replicate: [a, b], answer: majority, read: all, on: [miss] }");
  EXPECT_THAT(printed("route: { replicate: [a, b], read: spread }"), HasSubstr("read: spread"));
  EXPECT_THAT(errors("route: { replicate: [a] }"),
              HasSubstr("f:2:21: replicate: takes a list of two"));
  EXPECT_THAT(errors("route: { replicate: [a, b], answer: some }"), HasSubstr("answer"));
}

TEST(ConfigRoutes, MigrateUntilADate) {
  EXPECT_EQ(printed("route: { migrate: { from: a, to: b } }"),
            "route: { migrate: { from: a, to: b } }");
  EXPECT_EQ(printed("route: { migrate: { from: a, to: b }, until: 2027-01-31, fill: 1h }"),
            "route: { migrate: { from: a, to: b }, until: 2027-01-31T00:00:00Z, fill: 1h }");
  EXPECT_EQ(printed("route: { migrate: { from: a, to: b }, until: 2028-02-29T12:30:05Z }"),
            "route: { migrate: { from: a, to: b }, until: 2028-02-29T12:30:05Z }");
  for (const std::string date : {"2027-02-29", "2027-1-31", "soon", "2027-01-31T24:00:00Z",
                                 "2027-01-31 12:30:00Z", "2027-01-31T12:30:00+"}) {
    EXPECT_THAT(errors("route: { migrate: { from: a, to: b }, until: \"" + date + "\" }"),
                HasSubstr("f:2:46: until: '" + date + "' is no date; write 2027-01-31 or"))
        << date;
  }
  EXPECT_THAT(errors("route: { migrate: { from: a } }"), HasSubstr("to: missing"));
}

TEST(ConfigRoutes, ShadowAShare) {
  EXPECT_EQ(printed("route: { shadow: b, route: a }"),
            "route: { shadow: b, share: 100%, route: a }");
  EXPECT_EQ(printed("route: { shadow: b, share: 0.5%, route: a }"),
            "route: { shadow: b, share: 0.5%, route: a }");
  for (const std::string share : {"10", "0%", "101%", "x%", "-1%", "1 %"}) {
    EXPECT_THAT(errors("route: { shadow: b, share: " + share + ", route: a }"),
                HasSubstr("f:2:28: share: '" + share + "' is no share; write 10%"))
        << share;
  }
  EXPECT_THAT(errors("route: { shadow: b }"), HasSubstr("route: missing"));
}

TEST(ConfigRoutes, RewriteKeysAndTimes) {
  EXPECT_EQ(printed("route: { rewrite: { strip: \"u:\", add: v, ttl_max: 90s }, route: a }"),
            "route: { rewrite: { strip: \"u:\", add: \"v\", ttl_max: 90s }, route: a }");
  EXPECT_EQ(printed("route: { failover: [a, b], on: [down], ttl_max: 1m }"),
            "route: { failover: [a, { rewrite: { ttl_max: 1m }, route: b }], on: [down] }");
  EXPECT_THAT(errors("route: { rewrite: {}, route: a }"), HasSubstr("rewrite: changes nothing"));
  EXPECT_THAT(errors("route: { rewrite: { add: \"a b\" }, route: a }"),
              HasSubstr("f:2:21: add: no key begins with 'a b'"));
  EXPECT_THAT(errors("route: { rewrite: { add: x } }"), HasSubstr("route: missing"));
}

TEST(ConfigRoutes, LimitTheRate) {
  EXPECT_EQ(printed("route: { rate_limit: 1000, route: a }"),
            "route: { rate_limit: 1000, burst: 100, over: error, route: a }");
  EXPECT_EQ(printed("route: { rate_limit: 5, burst: 20, over: miss, route: a }"),
            "route: { rate_limit: 5, burst: 20, over: miss, route: a }");
  EXPECT_THAT(errors("route: { rate_limit: 0, route: a }"), HasSubstr("rate_limit: '0'"));
  EXPECT_THAT(errors("route: { rate_limit: 5, over: x, route: a }"), HasSubstr("over: 'x'"));
}

TEST(ConfigRoutes, CoalesceReads) {
  EXPECT_EQ(printed("route: { coalesce: { by_prefix: { h: b, \"\": a } } }"),
            "route: { coalesce: { by_prefix: { \"h\": b, \"\": a } } }");
  EXPECT_THAT(errors("route: { coalesce: c }"), HasSubstr("f:2:20: route: 'c' is no pool"));
  EXPECT_THAT(errors("route: { coalesce: a, route: b }"), HasSubstr("route"));
}

TEST(ConfigRoutes, ReadFromTheFastest) {
  EXPECT_THAT(printed("route: { replicate: [a, b], read: fastest }"), HasSubstr("read: fastest"));
}

TEST(ConfigRoutes, ReadFromTheNearest) {
  const auto printed_in = [](const std::string& zone, const std::string& route) {
    return printed_file("zone: " + zone +
                        "\npools: { a: { servers: [a:1], zone: one }, b: { servers: [b:1], zone: "
                        "two }, c: { servers: [c:1], zone: two } }\nroute: " +
                        route);
  };
  EXPECT_THAT(printed_in("one", "{ replicate: [a, b, c], read: near }"),
              HasSubstr("[a, b, c], answer: all, read: first"));
  EXPECT_THAT(printed_in("two", "{ replicate: [a, b, c], read: near }"), HasSubstr("[b, c, a]"));
  EXPECT_THAT(printed_in("two", "{ replicate: [a, { coalesce: c }], read: near }"),
              HasSubstr("[{ coalesce: c }, a]"));
  EXPECT_THAT(printed_in("three", "{ replicate: [a, b], read: near }"),
              HasSubstr("f:3:29: read: none of the pools is in zone 'three'"));
  EXPECT_THAT(errors("route: { replicate: [a, b], read: near }"),
              HasSubstr("f:2:29: read: near to what?"));
}

TEST(ConfigExamples, AreAllRight) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/config/examples")) {
    const auto config = load_config(file.path().string());
    ++count;
    EXPECT_TRUE(config) << config.error().front().text();
  }
  EXPECT_GT(count, 1);
}

}  // namespace
}  // namespace mcsteady::config
