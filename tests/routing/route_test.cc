#include "mcsteady/routing/route.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mcsteady::routing {
namespace {

using protocol::Verb;
using Kind = RouteOptions::Kind;

RouteOptions by_prefix(std::vector<std::string> prefixes, std::vector<RouteOptions> children) {
  RouteOptions route(Kind::ByPrefix);
  route.prefixes = std::move(prefixes);
  route.children = std::move(children);
  return route;
}

RouteOptions by_command(Verb verb, RouteOptions its_own, RouteOptions others) {
  RouteOptions route(Kind::ByCommand);
  VerbSet verbs;
  verbs.set(index_of(verb));
  route.commands = {verbs, ~verbs};
  route.children = {std::move(its_own), std::move(others)};
  return route;
}

std::string selected(const RouteTree& tree, Verb verb, std::string_view key) {
  const Route& route = RouteTree::select(tree.root(), verb, key);
  return route.kind == Kind::Pool ? tree.pools()[route.pool] : route.text;
}

TEST(RouteTree, OfOnePoolSendsEverythingThere) {
  const RouteTree tree(RouteOptions("main"));

  EXPECT_EQ(selected(tree, Verb::Get, "k"), "main");
  EXPECT_EQ(selected(tree, Verb::Set, ""), "main");
}

TEST(RouteTree, TakesTheLongestPrefixThatTheKeyBeginsWith) {
  const RouteTree tree(
      by_prefix({"a", "", "abc", "abd:", "b"}, {{"a"}, {"rest"}, {"abc"}, {"abd"}, {"b"}}));

  for (const auto& [key, pool] :
       std::vector<std::pair<std::string, std::string>>{{"", "rest"},
                                                        {"a", "a"},
                                                        {"ab", "a"},
                                                        {"abc", "abc"},
                                                        {"abcz", "abc"},
                                                        {"abd", "a"},
                                                        {"abd:1", "abd"},
                                                        {"abe", "a"},
                                                        {"b\xff", "b"},
                                                        {"c", "rest"},
                                                        {"A", "rest"},
                                                        {"\xff", "rest"}}) {
    EXPECT_EQ(selected(tree, Verb::Get, key), pool) << key;
  }
}

TEST(RouteTree, FindsPrefixesLikeALookAtEachOfThem) {
  std::vector<std::string> prefixes = {""};
  std::vector<RouteOptions> pools = {{"p"}};
  for (unsigned i = 1; i < 400; ++i) {  // every word of a, b and c up to some length
    std::string prefix;
    for (unsigned rest = i; rest > 0; rest = (rest - 1) / 3)
      prefix += static_cast<char>('a' + (rest - 1) % 3);
    if (i % 7 == 0 || i < 20) continue;
    prefixes.push_back(prefix);
    pools.emplace_back("p" + prefix);
  }
  const RouteTree tree(by_prefix(prefixes, pools));

  for (unsigned i = 1; i < 3000; ++i) {
    std::string key;
    for (unsigned rest = i; rest > 0; rest = (rest - 1) / 3)
      key += static_cast<char>('a' + (rest - 1) % 3);
    std::string longest;
    for (const std::string& prefix : prefixes) {
      if (key.starts_with(prefix) && prefix.size() > longest.size()) longest = prefix;
    }
    ASSERT_EQ(selected(tree, Verb::Get, key), "p" + longest) << key;
  }
}

TEST(RouteTree, ChoosesByCommandAndThenByPrefix) {
  const RouteTree tree(by_command(Verb::Delete, RouteOptions(Kind::Error, "no"),
                                  by_prefix({"u:", ""}, {{"users"}, {"main"}})));

  EXPECT_EQ(selected(tree, Verb::Delete, "u:1"), "no");
  EXPECT_EQ(selected(tree, Verb::MetaDelete, "u:1"), "users");
  EXPECT_EQ(selected(tree, Verb::Get, "v"), "main");
}

TEST(RouteTree, NamesEachPoolOnce) {
  const RouteTree tree(by_prefix({"a", "b", ""}, {{"x"}, {"y"}, {"x"}}));

  EXPECT_EQ(tree.pools(), (std::vector<std::string>{"x", "y"}));
}

TEST(RouteTree, ACommandWithoutAKeyReachesWhatItsBranchesReach) {
  const RouteTree tree(
      by_command(Verb::FlushAll,
                 by_prefix({"a", "b", "c", ""}, {{"x"}, {"y"}, {"x"}, RouteOptions(Kind::Null)}),
                 RouteOptions("z")));
  const RouteTree::Reach reach = tree.reach(Verb::FlushAll);

  EXPECT_EQ(reach.pools, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(reach.error, nullptr);
}

TEST(RouteTree, ACommandMayReachNothingButARefusal) {
  const RouteTree tree(by_command(Verb::FlushAll, RouteOptions(Kind::Error, "no"), {"main"}));
  const RouteTree::Reach reach = tree.reach(Verb::FlushAll);

  EXPECT_TRUE(reach.pools.empty());
  ASSERT_NE(reach.error, nullptr);
  EXPECT_EQ(reach.error->text, "no");
}

}  // namespace
}  // namespace mcsteady::routing
