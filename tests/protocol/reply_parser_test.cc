#include "mcsteady/protocol/reply.h"

#include <gtest/gtest.h>

namespace mcsteady::protocol {
namespace {

using Shape = ReplyShape;

ReplyLine line_of(std::string_view input, Shape shape) {
  const auto result = parse_reply_line(input, shape);
  EXPECT_TRUE(result.has_value() && result->has_value()) << input;
  return result.has_value() && result->has_value() ? **result : ReplyLine{};
}

ReplyError error_of(std::string_view input, Shape shape) {
  const auto result = parse_reply_line(input, shape);
  EXPECT_FALSE(result.has_value()) << input;
  return result.has_value() ? ReplyError{} : result.error();
}

TEST(ReplyParser, WaitsWhereverTheLineIsCut) {
  const std::pair<std::string_view, Shape> replies[] = {{"VALUE key 0 10 7\r\n", Shape::Items},
                                                        {"STORED\r\n", Shape::Line},
                                                        {"VA 10 kkey\r\n", Shape::Meta}};
  for (const auto& [line, shape] : replies) {
    for (std::size_t cut = 0; cut < line.size(); ++cut) {
      SCOPED_TRACE(line.substr(0, cut));
      const auto result = parse_reply_line(line.substr(0, cut), shape);
      ASSERT_TRUE(result.has_value());
      EXPECT_FALSE(result->has_value());
    }
  }
}

TEST(ReplyParser, ReadsKeyAndSizeOfAValue) {
  const ReplyLine line =
      line_of("VALUE alpha 4294967295 10\r\n0123456789\r\nEND\r\n", Shape::Items);

  EXPECT_EQ(line.code, ReplyCode::Value);
  EXPECT_EQ(line.line, "VALUE alpha 4294967295 10\r\n");
  EXPECT_EQ(line.key, "alpha");
  EXPECT_EQ(line.value_size, 10U);
  EXPECT_FALSE(line.last);
}

TEST(ReplyParser, ReadsAValueWithItsCasUnique) {
  const ReplyLine line = line_of("VALUE k 0 0 18446744073709551615\r\n", Shape::Items);

  EXPECT_EQ(line.value_size, 0U);
  EXPECT_FALSE(line.last);
}

TEST(ReplyParser, EndsItemsWithEndOrAnErrorLine) {
  const std::pair<std::string_view, ReplyCode> ends[] = {
      {"END\r\n", ReplyCode::End},
      {"ERROR\r\n", ReplyCode::Error},
      {"CLIENT_ERROR bad\r\n", ReplyCode::ClientError},
      {"SERVER_ERROR out of memory writing get response\r\n", ReplyCode::ServerError},
      {"ERROR Too many open connections\r\n", ReplyCode::Error}};
  for (const auto& [text, code] : ends) {
    const ReplyLine line = line_of(text, Shape::Items);
    EXPECT_EQ(line.code, code) << text;
    EXPECT_TRUE(line.last) << text;
    EXPECT_EQ(line.value_size, std::nullopt) << text;
    EXPECT_EQ(is_error(line.code), code != ReplyCode::End) << text;
  }
}

TEST(ReplyParser, RefusesASizeThatIsNone) {
  for (const std::string_view text :
       {"VALUE k 0\r\n", "VALUE k 0 x\r\n", "VALUE k 0 -1\r\n", "VALUE k x 1\r\n",
        "VALUE k 0 1 x\r\n", "VALUE k 0 2147483648\r\n", "VALUE k 0 18446744073709551617\r\n",
        "VALUE\r\n"}) {
    EXPECT_EQ(error_of(text, Shape::Items), ReplyError::BadNumber) << text;
  }
  for (const std::string_view text :
       {"VA\r\n", "VA x\r\n", "VA -1\r\n", "VA 99999999999999999999\r\n"}) {
    EXPECT_EQ(error_of(text, Shape::Meta), ReplyError::BadNumber) << text;
  }
}

TEST(ReplyParser, ReadsEveryOneLineReply) {
  const std::pair<std::string_view, ReplyCode> replies[] = {
      {"STORED\r\n", ReplyCode::Stored},
      {"NOT_STORED\r\n", ReplyCode::NotStored},
      {"EXISTS\r\n", ReplyCode::Exists},
      {"NOT_FOUND\r\n", ReplyCode::NotFound},
      {"DELETED\r\n", ReplyCode::Deleted},
      {"TOUCHED\r\n", ReplyCode::Touched},
      {"OK\r\n", ReplyCode::Ok},
      {"VERSION 1.6.18\r\n", ReplyCode::Version},
      {"18446744073709551615\r\n", ReplyCode::Number},
      {"9 \r\n", ReplyCode::Number},
      {"ERROR: shutdown not enabled\r\n", ReplyCode::Error},
      {"RESET\r\n", ReplyCode::Other}};
  for (const auto& [text, code] : replies) {
    const ReplyLine line = line_of(text, Shape::Line);
    EXPECT_EQ(line.code, code) << text;
    EXPECT_EQ(line.line, text);
    EXPECT_TRUE(line.last) << text;
  }
}

TEST(ReplyParser, ReadsEveryMetaReply) {
  const std::pair<std::string_view, ReplyCode> replies[] = {
      {"HD\r\n", ReplyCode::MetaHeader},
      {"HD t-1 kkey\r\n", ReplyCode::MetaHeader},
      {"EN\r\n", ReplyCode::MetaMiss},
      {"EN Ox\r\n", ReplyCode::MetaMiss},
      {"NF kzz\r\n", ReplyCode::MetaNotFound},
      {"NS\r\n", ReplyCode::MetaNotStored},
      {"EX\r\n", ReplyCode::MetaExists},
      {"ME k exp=-1\r\n", ReplyCode::MetaDebug},
      {"MN\r\n", ReplyCode::MetaNoop},
      {"OK\r\n", ReplyCode::Ok},
      {"CLIENT_ERROR invalid flag\r\n", ReplyCode::ClientError}};
  for (const auto& [text, code] : replies) {
    EXPECT_EQ(line_of(text, Shape::Meta).code, code) << text;
    EXPECT_EQ(line_of(text, Shape::Meta).value_size, std::nullopt) << text;
  }
}

TEST(ReplyParser, ReadsTheSizeOfAMetaValue) {
  const ReplyLine line = line_of("VA 10 kkey Ox\r\n", Shape::Meta);

  EXPECT_EQ(line.code, ReplyCode::MetaValue);
  EXPECT_EQ(line.value_size, 10U);
  EXPECT_TRUE(line.last);
}

TEST(ReplyParser, RefusesWhatBelongsToAnotherShape) {
  for (const std::string_view text :
       {"STORED\r\n", "HD\r\n", "5\r\n", "\r\n", "END x\r\n", "VALUE k 0 1 2 3\r\n"}) {
    EXPECT_EQ(error_of(text, Shape::Items), ReplyError::Unexpected) << text;
  }
  for (const std::string_view text :
       {"END\r\n", "VALUE k 0 1\r\n", "VA 1\r\n", "HD\r\n", "\r\n", " STORED\r\n", "abc\r\n"}) {
    EXPECT_EQ(error_of(text, Shape::Line), ReplyError::Unexpected) << text;
  }
  for (const std::string_view text :
       {"STORED\r\n", "END\r\n", "XX\r\n", "VALUE k 0 1\r\n", "\r\n"}) {
    EXPECT_EQ(error_of(text, Shape::Meta), ReplyError::Unexpected) << text;
  }
  EXPECT_EQ(error_of("12ab\r\n", Shape::Line), ReplyError::BadNumber);
}

TEST(ReplyParser, TakesABareNewlineForTheInsideOfAValue) {
  EXPECT_EQ(error_of("STORED\n", Shape::Line), ReplyError::Unexpected);
  EXPECT_EQ(error_of("\n", Shape::Line), ReplyError::Unexpected);
}

TEST(ReplyParser, BoundsTheLine) {
  const std::string longest = "VERSION " + std::string(kReplyLineMax - 10, 'x') + "\r\n";
  ASSERT_EQ(longest.size(), kReplyLineMax);

  EXPECT_EQ(line_of(longest, Shape::Line).line, longest);
  EXPECT_EQ(error_of("V" + longest, Shape::Line), ReplyError::LineTooLong);
  EXPECT_EQ(error_of(std::string(kReplyLineMax, 'x'), Shape::Line), ReplyError::LineTooLong);
}

TEST(ReplyShape, FollowsTheVerb) {
  EXPECT_EQ(reply_shape(Verb::Gats), Shape::Items);
  EXPECT_EQ(reply_shape(Verb::Set), Shape::Line);
  EXPECT_EQ(reply_shape(Verb::Version), Shape::Line);
  EXPECT_EQ(reply_shape(Verb::MetaGet), Shape::Meta);
  EXPECT_EQ(reply_shape(Verb::MetaNoop), Shape::Meta);
}

TEST(Withheld, HidesNothingFromAClientThatAsked) {
  EXPECT_FALSE(is_withheld(Verb::Set, false, ReplyCode::Stored));
  EXPECT_FALSE(is_withheld(Verb::MetaGet, false, ReplyCode::MetaMiss));
}

TEST(Withheld, HidesEveryReplyToANoreplyCommand) {
  for (const ReplyCode code : {ReplyCode::Stored, ReplyCode::NotStored, ReplyCode::ClientError,
                               ReplyCode::ServerError, ReplyCode::Error}) {
    EXPECT_TRUE(is_withheld(Verb::Set, true, code));
    EXPECT_TRUE(is_withheld(Verb::FlushAll, true, code));
  }
}

TEST(Withheld, HidesTheNominalReplyOfAQuietMetaCommandAlone) {
  EXPECT_TRUE(is_withheld(Verb::MetaGet, true, ReplyCode::MetaMiss));
  EXPECT_FALSE(is_withheld(Verb::MetaGet, true, ReplyCode::MetaHeader));
  EXPECT_FALSE(is_withheld(Verb::MetaGet, true, ReplyCode::MetaValue));
  EXPECT_TRUE(is_withheld(Verb::MetaSet, true, ReplyCode::MetaHeader));
  EXPECT_FALSE(is_withheld(Verb::MetaSet, true, ReplyCode::MetaNotStored));
  EXPECT_TRUE(is_withheld(Verb::MetaDelete, true, ReplyCode::MetaHeader));
  EXPECT_FALSE(is_withheld(Verb::MetaDelete, true, ReplyCode::MetaNotFound));
  EXPECT_TRUE(is_withheld(Verb::MetaArithmetic, true, ReplyCode::MetaValue));
  EXPECT_FALSE(is_withheld(Verb::MetaArithmetic, true, ReplyCode::MetaExists));
  EXPECT_FALSE(is_withheld(Verb::MetaNoop, true, ReplyCode::MetaNoop));
}

TEST(Withheld, TellsErrorsOfQuietMetaCommands) {
  for (const Verb verb :
       {Verb::MetaGet, Verb::MetaSet, Verb::MetaDelete, Verb::MetaArithmetic, Verb::MetaDebug}) {
    EXPECT_FALSE(is_withheld(verb, true, ReplyCode::ClientError));
    EXPECT_FALSE(is_withheld(verb, true, ReplyCode::ServerError));
  }
}

}  // namespace
}  // namespace mcsteady::protocol
