#include "mcsteady/protocol/authentication.h"

#include <gtest/gtest.h>

#include <string>

namespace mcsteady::protocol {
namespace {

using Kind = Introduction::Kind;

constexpr const char* kUnauthenticated = "CLIENT_ERROR unauthenticated\r\n";

/// "user/password", or the reply of a refusal, "hang up" or "more".
std::string said(std::string_view input) {
  const Introduction parsed = parse_introduction(input);
  switch (parsed.kind) {
    case Kind::Incomplete:
      EXPECT_EQ(parsed.consumed, 0U);
      return "more";
    case Kind::HangUp:
      return "hang up";
    case Kind::Refusal:
      return std::string(parsed.reply);
    case Kind::Attempt:
      return std::string(parsed.user) + "/" + std::string(parsed.password);
  }
  return "?";
}

std::string with_body(const std::string& body) {
  return "set x 0 0 " + std::to_string(body.size()) + "\r\n" + body + "\r\n";
}

TEST(Introduction, ASetWhoseBodyIsUserAndPasswordIsAnAttempt) {
  const std::string introduction = with_body("app secret");
  const std::string input = introduction + "get a\r\n";
  const Introduction parsed = parse_introduction(input);

  EXPECT_EQ(parsed.kind, Kind::Attempt);
  EXPECT_EQ(parsed.user, "app");
  EXPECT_EQ(parsed.password, "secret");
  EXPECT_EQ(parsed.consumed, introduction.size());
}

TEST(Introduction, WaitsWhereverItIsCut) {
  const std::string input = with_body("app secret");
  for (std::size_t cut = 0; cut < input.size(); ++cut) {
    EXPECT_EQ(said(std::string_view(input).substr(0, cut)), "more") << cut;
  }
}

TEST(Introduction, KeyFlagsExptimeAndWhatIsBehindTheLengthDoNotMatter) {
  for (const char* line :
       {"set x a b 10\r\n", "set x 0 0 10\n", "set  x 0 0 10 11 12\r\n", " set x 0 0 10\r\n",
        "set x 0 0 10 noreply\r\n", "set x 0 0 +10\r\n", "set x 0 0 010\r\n"}) {
    EXPECT_EQ(said(std::string(line) + "app secret\r\n"), "app/secret") << line;
  }
  EXPECT_EQ(said("set " + std::string(300, 'k') + " 0 0 10\r\napp secret\r\n"), "app/secret");
}

TEST(Introduction, EveryOtherLineIsUnauthenticated) {
  for (const char* line :
       {"get a\r\n", "version\r\n", "quit\r\n", "mn\r\n", "\r\n", "SET x 0 0 10\r\n",
        "add x 0 0 10\r\n", "set x 0 0\r\n", "set x 0 0 -1\r\n", "set x 0 0 10x\r\n"}) {
    const Introduction parsed = parse_introduction(std::string(line) + "app secret\r\n");
    EXPECT_EQ(parsed.reply, kUnauthenticated) << line;
    EXPECT_EQ(parsed.consumed, std::string_view(line).size()) << line;
  }
}

TEST(Introduction, ABodyHasTwoWordsAtLeastAndALineEnd) {
  EXPECT_EQ(said(with_body("  app   secret more")), "app/secret");
  for (const std::string body : {"", "app", "app ", "app\tsecret"}) {
    EXPECT_EQ(said(with_body(body)), "CLIENT_ERROR bad authentication token format\r\n") << body;
  }
  const Introduction parsed = parse_introduction("set x 0 0 10\r\napp secretXXmn\r\n");
  EXPECT_EQ(parsed.reply, "CLIENT_ERROR bad command line termination\r\n");
  EXPECT_EQ(parsed.consumed, 26U);
}

TEST(Introduction, AStringEndsAtANul) {
  EXPECT_EQ(said(with_body(std::string("app\0 secret", 11))),
            "CLIENT_ERROR bad authentication token format\r\n");
  EXPECT_EQ(said(std::string("set x 0 0 10\0junk\r\napp secret\r\n", 31)), "app/secret");
}

TEST(Introduction, ABodyIsTakenUpToMemcachedsBufferAndNoFurther) {
  EXPECT_EQ(said(with_body("a " + std::string(kIntroductionBodyMax - 4, 'b'))).size(),
            kIntroductionBodyMax - 2);
  EXPECT_EQ(said("set x 0 0 " + std::to_string(kIntroductionBodyMax - 1) + "\r\n"), "hang up");
  EXPECT_EQ(said("set x 0 0 4294967295\r\n"), "hang up");
}

TEST(Introduction, ALineThatDoesNotEndIsNotWaitedForForever) {
  EXPECT_EQ(said(std::string(kIntroductionLineMax, 'a')), "more");
  EXPECT_EQ(said(std::string(kIntroductionLineMax + 1, 'a')), "hang up");
  EXPECT_EQ(said(std::string(kIntroductionLineMax + 1, 'a') + "\n"), kUnauthenticated);
}

}  // namespace
}  // namespace mcsteady::protocol
