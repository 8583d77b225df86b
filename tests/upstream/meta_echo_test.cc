#include "upstream/meta_echo.h"

#include "upstream/connection_fixture.h"

namespace mcsteady::upstream {
namespace {

bool may_answer_with(std::string_view command, std::string_view reply) {
  const auto line = protocol::parse_reply_line(reply, protocol::ReplyShape::Meta);
  return line && *line && may_answer(command, **line);
}

TEST(MetaEcho, AReplyThatCarriesTheOpaqueOrTheKeyOfTheCommandIsItsOwn) {
  for (const char* reply : {"HD\r\n", "HD O7 kkey\r\n", "VA 1 kkey O7 f0\r\n", "EN\r\n",
                            "NF O7\r\n", "NS kkey\r\n", "EX O7\r\n", "SERVER_ERROR O8 k\r\n"}) {
    EXPECT_TRUE(may_answer_with("mg key v O7 k f\r\n", reply)) << reply;
  }
}

TEST(MetaEcho, AReplyWithAnotherOpaqueOrKeyIsForeign) {
  for (const char* reply :
       {"HD O8\r\n", "HD O\r\n", "VA 1 O7 kkez\r\n", "EN O70\r\n", "NF kke\r\n"}) {
    EXPECT_FALSE(may_answer_with("mg key v O7 k f\r\n", reply)) << reply;
  }
  EXPECT_FALSE(may_answer_with("mg O7 v\r\n", "HD O7\r\n"));
}

TEST(MetaEcho, AKeyInBase64MayComeBackInAnotherForm) {
  EXPECT_TRUE(may_answer_with("mg AAH/ b k O7\r\n", "HD kAAH= b O7\r\n"));
  EXPECT_FALSE(may_answer_with("mg AAH/ b k O7\r\n", "HD kAAH= b O8\r\n"));
}

TEST_F(ConnectionTest, IsOutOfStepWhereAMetaReplyBelongsToAnotherRequest) {
  for (const std::string_view foreign : {"HD O2\r\n", "VA 1 O2\r\nx\r\n"}) {
    open_unconnected();
    test::MemoryStream& far = loop.dialed(loop.dials() - 1).memory;
    loop.dialed(loop.dials() - 1).connects();
    RecordingOwner first, second;
    ask("mg a v O1\r\n", first, protocol::ReplyShape::Meta);
    ask("mg b v O2\r\n", second, protocol::ReplyShape::Meta);
    far.push(foreign);

    EXPECT_EQ(first.heard, Heard{"!bad_reply"});
    EXPECT_EQ(second.heard, Heard{"!bad_reply"});
    EXPECT_EQ(state(), Connection::State::Closed);
  }
  EXPECT_EQ(host.incidents.size(), 2U);
}

}  // namespace
}  // namespace mcsteady::upstream
