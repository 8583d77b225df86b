#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "config/errors.h"

namespace mcsteady::config {
namespace {

constexpr const char* kEmpty =
    "f:1:1: the file is empty; the smallest useful one is "
    "pools: { main: { servers: [host:11211] } }\n";

TEST(ConfigSyntax, AnEmptyDocumentIsShownTheSmallestUsefulOne) {
  EXPECT_EQ(errors_in(""), kEmpty);
  EXPECT_EQ(errors_in("\n\n"), kEmpty);
  EXPECT_EQ(errors_in("# only a comment\n"), kEmpty);
  EXPECT_EQ(errors_in("---\n"), kEmpty);
  EXPECT_EQ(errors_in("~"), kEmpty);
  EXPECT_EQ(errors_in("\xEF\xBB\xBF"), kEmpty);
}

TEST(ConfigSyntax, ADocumentThatIsNoMapIsRefusedOnce) {
  EXPECT_EQ(errors_in("[1]"), "f:1:1: the file: a list where a map of keys belongs\n");
  EXPECT_EQ(errors_in("text"), "f:1:1: the file: a single value where a map of keys belongs\n");
}

TEST(ConfigSyntax, WhatIsNotYamlIsPlaced) {
  EXPECT_EQ(errors_in("pools: { main: { servers: [a:1] }\n"),
            "f:2:1: not YAML: end of map flow not found\n");
  EXPECT_EQ(errors_in("pools: { main: { servers: [a:1] } } }"),
            "f:1:37: not YAML: illegal flow end\n");
  EXPECT_EQ(errors_in("route: a: b"), "f:1:9: not YAML: illegal map value\n");
  EXPECT_EQ(errors_in("route: *main"), "f:1:8: not YAML: the referenced anchor is not defined\n");
}

TEST(ConfigSyntax, ATabInTheIndentationIsCalledATab) {
  const std::string message = "a tab in the indentation; YAML takes blanks only\n";
  EXPECT_EQ(errors_in("pools:\n\tmain: x\n"), "f:2:1: " + message);
  EXPECT_EQ(errors_in("pools:\n  main:\n  \tservers: [a:1]\n"), "f:3:3: " + message);
}

TEST(ConfigSyntax, WhatAConfigurationHasNoUseForIsRefused) {
  EXPECT_EQ(errors_in("workers: 1\n---\nworkers: 2\n"),
            "f:2:1: a second document begins here; a file has one\n");
  EXPECT_EQ(errors_in("workers: !!int 2"),
            "f:1:10: 'tag:yaml.org,2002:int' is a tag; plain values are enough\n");
  EXPECT_EQ(errors_behind_a_pool("? [a]\n: b\n"), "f:2:3: a list where a key belongs\n");
}

TEST(ConfigSyntax, AFileOfMoreThanAMebibyteIsRefusedUnread) {
  std::string yaml = "pools: { main: { servers: [a:1] } } #";
  yaml.resize(std::size_t{1} << 20, '#');

  EXPECT_EQ(errors_in(yaml), "");
  EXPECT_EQ(errors_in(yaml + "#"),
            "f:1:1: the file has more than 1MiB; no configuration needs that\n");
}

TEST(ConfigSyntax, DeepNestingIsRefusedAndDoesNotEndTheStack) {
  for (const std::string open : {"[", "{a: ", "- "}) {
    std::string yaml;
    while (yaml.size() < 1000000) yaml += open;

    EXPECT_NE(errors_in(yaml).find("lists and maps are nested too deeply"), std::string::npos);
  }
}

TEST(ConfigSyntax, AnAliasStandsForWhatItsAnchorNamed) {
  const auto config = parse_config(
      "pools:\n"
      "  a: { servers: [a:1], timeouts: &times { response: 100ms } }\n"
      "  b: { servers: [b:1], timeouts: *times }\n"
      "route: a\n",
      "f");

  ASSERT_TRUE(config);
  EXPECT_EQ(config->worker.pools.at(1).servers.at(0).server.response_timeout,
            std::chrono::milliseconds(100));
}

TEST(ConfigSyntax, AliasesThatGrowOutOfProportionAreRefused) {
  // Ten of what is above, which is ten of what is above, ...
  std::ostringstream yaml;
  yaml << "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 20; ++level) {
    yaml << "l" << level << ": &l" << level << " [";
    for (int i = 0; i < 10; ++i) yaml << "*l" << level - 1 << " ,";
    yaml << "]\n";
  }

  EXPECT_EQ(errors_in(yaml.str()), "f:5:55: more than 100000 values once aliases are followed\n");
}

TEST(ConfigSyntax, AnAliasWithinItsOwnAnchorIsRefused) {
  EXPECT_EQ(errors_in("pools: &all [*all]"), "f:1:14: an alias within what it stands for\n");
}

TEST(ConfigSyntax, MergeKeysAreNamedAsWhatTheyAre) {
  EXPECT_EQ(
      errors_behind_a_pool("log: &log { level: info }\nlimits: { <<: *log }\n"),
      "f:3:11: unknown key '<<'; merge keys are not supported, an alias for a whole value is\n");
}

}  // namespace
}  // namespace mcsteady::config
