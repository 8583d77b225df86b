// `version`, as configured: ours, or the lowest of the servers that answer.

#include "proxy/binary_fixture.h"
#include "proxy/lowest_version.h"

namespace mcsteady::test {
namespace {

class VersionTest : public BinaryTest {
 protected:
  VersionTest() { options.client.version = proxy::VersionPolicy::Servers; }
  /// The next that each server says.
  void versions(const std::vector<std::string>& each) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      servers[i]->next(ServerAct::answer_with("VERSION " + each[i] + "\r\n"));
    }
  }
};

TEST(LowestVersion, NumbersCountAsNumbers) {
  const std::vector<std::string_view> rising = {"1.4.39",     "1.6",      "1.6.9", "1.6.18",
                                                "1.6.18-rc1", "1.6.18_2", "1.10",  "2"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      EXPECT_EQ(proxy::is_lower_version(rising[i], rising[j]), i < j) << rising[i] << rising[j];
    }
  }
}

TEST_F(VersionTest, IsTheLowestOfTheServers) {
  start(3);
  versions({"1.6.21", "1.6.9", "1.6.18"});

  EXPECT_EQ(ask("version\r\n"), "VERSION 1.6.9\r\n");
}

TEST_F(VersionTest, IsOursUnlessConfigured) {
  options.client.version = proxy::VersionPolicy::Ours;
  start(1);

  EXPECT_EQ(ask("version\r\n"), "VERSION 1.0-test\r\n");
  EXPECT_EQ(servers[0]->count("version"), 0U);
}

TEST_F(VersionTest, IsThatOfTheServersThatAnswer) {
  start(3);
  servers[0]->stop();
  versions({"1.5", "1.6.9", "1.6.18"});

  EXPECT_EQ(ask("version\r\n"), "VERSION 1.6.9\r\n");
}

TEST_F(VersionTest, IsAnErrorWhereNoServerAnswers) {
  start(2);
  servers[0]->stop();
  servers[1]->stop();

  EXPECT_TRUE(ask("version\r\n").starts_with("SERVER_ERROR server")) << "it tells who and why";
}

TEST_F(VersionTest, KeepsItsPlaceAmongOtherReplies) {
  start(2);
  servers[0]->next(ServerAct::answer_after(50ms));

  EXPECT_EQ(ask("version\r\nget a\r\nmn\r\n", 100ms), "VERSION 1.6.18\r\nEND\r\nMN\r\n");
}

TEST_F(VersionTest, BinaryClientsGetItToo) {
  start(2);
  versions({"1.6.21", "1.6.9"});

  const BinaryReply reply = ask_one({.opcode = Opcode::Version});

  EXPECT_EQ(reply.status, Status::Ok);
  EXPECT_EQ(reply.value, "1.6.9");
}

}  // namespace
}  // namespace mcsteady::test
