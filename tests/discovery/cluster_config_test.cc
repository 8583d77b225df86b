#include "mcsteady/discovery/cluster_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/cluster_config_check.h"
#include "support/source_dir.h"

namespace mcsteady::discovery {
namespace {

using Kind = ClusterReplyError::Kind;

std::string reply(const std::string& payload, const std::string& head = "CONFIG cluster") {
  return head + " 0 " + std::to_string(payload.size()) + "\r\n" + payload + "\r\nEND\r\n";
}
ClusterConfig parsed(const std::string& input) {
  return parse_cluster_reply(input).value().value();
}
Kind error_of(const std::string& input) {
  return parse_cluster_reply(input).error().kind;
}

TEST(ClusterConfig, HasAVersionAndTheNodesInTheirOrder) {
  const ClusterConfig config =
      parsed(reply("12\nb.cache.example|10.82.235.120|11211 a.cache.example|10.80.249.27|11212\n"));

  EXPECT_EQ(config.version, 12U);
  ASSERT_EQ(config.nodes.size(), 2U);
  EXPECT_EQ(config.nodes[0].at.text(), "b.cache.example:11211");
  EXPECT_EQ(config.nodes[0].address->text(), "10.82.235.120:11211");
  EXPECT_EQ(config.nodes[1].at.text(), "a.cache.example:11212");
}

TEST(ClusterConfig, IsReadFromTheOldFormToo) {
  EXPECT_EQ(parsed(reply("3\na|10.0.0.1|1\n", "VALUE AmazonElastiCache:cluster")).version, 3U);
}

TEST(ClusterConfig, NamesANodeByItsAddressWhereItHasNoName) {
  EXPECT_EQ(parsed(reply("1\n|10.0.0.1|1\n")).nodes[0].at.text(), "10.0.0.1:1");
  EXPECT_EQ(parsed(reply("1\n|2001:db8::1|1\n")).nodes[0].at.text(), "[2001:db8::1]:1");
}

TEST(ClusterConfig, KnowsNoAddressWhereTheReplyHasNone) {
  EXPECT_FALSE(parsed(reply("1\na||1\n")).nodes[0].address);
}

TEST(ClusterConfig, ToleratesCarriageReturns) {
  EXPECT_EQ(parsed(reply("1\na|10.0.0.1|1\r\n\r\n")).nodes.size(), 1U);
}

TEST(ClusterConfig, WaitsWhereverTheReplyIsCut) {
  const std::string whole = reply("1\na|10.0.0.1|1\n");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    SCOPED_TRACE(cut);
    const auto result = parse_cluster_reply(whole.substr(0, cut));
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->has_value());
  }
}

TEST(ClusterConfig, TellsAServerThatDoesNotKnowTheQuestion) {
  EXPECT_EQ(error_of("ERROR\r\n"), Kind::NotKnown);
  EXPECT_EQ(error_of("END\r\n"), Kind::NotKnown);
  EXPECT_EQ(error_of("CLIENT_ERROR bad command line format\r\n"), Kind::NotKnown);
}

TEST(ClusterConfig, RefusesWhatMakesNoSense) {
  for (const std::string& input :
       {reply("x\na|10.0.0.1|1\n"), reply("1\n\n"), reply("1\na|10.0.0.1|0\n"),
        reply("1\na|10.0.0.1\n"), reply("1\n||1\n"), reply("1\na|b c|1\n"),
        std::string("CONFIG cluster 0 99999999\r\n"), std::string("CONFIG cluster 0 x\r\n"),
        std::string("CONFIG cluster 0 1\r\n12345678901\r\n"), std::string(2000, 'a')}) {
    EXPECT_EQ(error_of(input), Kind::Malformed) << input;
  }
}

TEST(ClusterConfig, KeepsTheParsersPromisesForTheWholeCorpus) {
  std::size_t count = 0;
  const std::string folder = test::source_dir() + "/tests/fuzz/corpus/cluster_config";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    fuzz::check_cluster_reply(
        std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
    ++count;
  }
  EXPECT_GE(count, 8U);
}

}  // namespace
}  // namespace mcsteady::discovery
