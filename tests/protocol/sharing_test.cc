#include "mcsteady/protocol/sharing.h"

#include <gtest/gtest.h>

namespace mcsteady::protocol {
namespace {

bool gives(std::string_view reply) {
  const auto line = parse_reply_line(reply, ReplyShape::Meta);
  return gives_renewal(**line);
}

TEST(SharedReplies, AreOfReadsThatChangeNothing) {
  EXPECT_TRUE(may_be_shared(Verb::Get, "get k\r\n"));
  EXPECT_TRUE(may_be_shared(Verb::Gets, "gets k\r\n"));
  EXPECT_TRUE(may_be_shared(Verb::MetaGet, "mg k\r\n"));
  EXPECT_TRUE(may_be_shared(Verb::MetaGet, "mg TRNh v f s t c k b q Oabc\r\n"));
  EXPECT_FALSE(may_be_shared(Verb::Gat, "gat 0 k\r\n"));
  EXPECT_FALSE(may_be_shared(Verb::MetaDebug, "me k\r\n"));
  EXPECT_FALSE(may_be_shared(Verb::MetaSet, "ms k 1 T0\r\nx\r\n"));
  for (const std::string flag : {"T60", "N30", "R30", "E1", "h", "l", "M"}) {
    EXPECT_FALSE(may_be_shared(Verb::MetaGet, "mg k v " + flag + "\r\n")) << flag;
  }
}

TEST(SharedReplies, GiveTheRightToRenewByAFlagAlone) {
  EXPECT_TRUE(gives("VA 1 f0 W\r\n"));
  EXPECT_TRUE(gives("HD W X\r\n"));
  EXPECT_FALSE(gives("VA 1 X Z\r\n"));
  EXPECT_FALSE(gives("HD kW OW\r\n"));
  EXPECT_FALSE(gives("EN\r\n"));
}

}  // namespace
}  // namespace mcsteady::protocol
