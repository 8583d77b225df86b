#include "protocol/parse_one.h"

namespace mcsteady::protocol {
namespace {

const std::string kKey250(250, 'k');
const std::string kKey251(251, 'k');

TEST(MetaRequests, GiveTheKeyAsItWasSent) {
  EXPECT_EQ(request_of("mg bWNzdGVhZHk= b k v\r\n").keys, "bWNzdGVhZHk=");
  EXPECT_EQ(request_of("mg " + kKey250 + " b v\r\n").keys, kKey250);
  EXPECT_EQ(request_of("me k\r\n").keys, "k");
  EXPECT_EQ(request_of("mn\r\n").keys, "");
}

TEST(MetaRequests, AreQuietWithFlagQAndNotWithAKeyOfThatName) {
  EXPECT_TRUE(request_of("mg k v q\r\n").quiet);
  EXPECT_TRUE(request_of("ms k 1 qx\r\n").quiet);
  EXPECT_FALSE(request_of("mg q v\r\n").quiet);
  EXPECT_FALSE(request_of("mg k Oq\r\n").quiet);
  EXPECT_FALSE(request_of("me k q\r\n").quiet);
  EXPECT_FALSE(request_of("mn q\r\n").quiet);
}

TEST(MetaRequests, PassUnknownFlagsOnForTheServerToJudge) {
  EXPECT_EQ(command_of("mg k Z9 !x v\r\n"), "mg k Z9 !x v\r\n");
}

TEST(MetaRequests, AreRefusedWhereAServerIsOrMightBeOutOfStep) {
  const std::string opaque32 = "O" + std::string(31, '1');
  const std::string flags17 = " a b c d e f g h i j k l m n o p q";
  request_of("mg k " + opaque32 + "\r\n");
  request_of("mg k" + flags17 + "\r\n");
  const std::pair<std::string, std::string_view> cases[] = {
      {"mg", kError},
      {"md ", kError},
      {"ma", kError},
      {"me", kBadFormat},
      {"mg " + kKey251 + " v", kBadFormat},
      {"md " + kKey251, kBadFormat},
      {"me " + kKey251, kBadFormat},
      {"mg k\t v", kBadFormat},
      {std::string("mg k v\0 q", 9), kBadFormat},
      {"mn \x01", kBadFormat},
      {"mg k v vx", "CLIENT_ERROR duplicate flag\r\n"},
      {"mg k q q", "CLIENT_ERROR duplicate flag\r\n"},
      {"md k q q", "CLIENT_ERROR invalid or duplicate flag\r\n"},
      {"ma k v v", "CLIENT_ERROR invalid or duplicate flag\r\n"},
      {"mg k " + opaque32 + "1 q", "CLIENT_ERROR opaque token too long\r\n"},
      {"mg k" + flags17 + " r", "CLIENT_ERROR options flags are too long\r\n"},
  };
  for (const auto& [line, reply] : cases) {
    const Refusal refusal = refusal_of(line + "\r\n");
    EXPECT_EQ(refusal.reply, reply) << line;
    EXPECT_EQ(refusal.swallow, 0U) << line;
    EXPECT_FALSE(refusal.close) << line;
  }
}

TEST(MetaSet, GivesItsBodySize) {
  EXPECT_EQ(request_of("ms k  0\r\n").body_size, 0U);
  EXPECT_EQ(request_of("ms k 10 T30 MS\r\n").body_size, 10U);
}

TEST(MetaSet, SwallowsTheBodyOfARefusedLine) {
  const std::pair<std::string, std::string_view> cases[] = {
      {"ms " + kKey251 + " 5", kBadFormat},
      {"ms k 5 \x01", kBadFormat},
      {"ms k 5 c c", "CLIENT_ERROR duplicate flag\r\n"},
      {"ms k 5 q O" + std::string(32, '1'), "CLIENT_ERROR opaque token too long\r\n"},
      {"ms k 5 a b c d e f g h i j k l m n o p q", "CLIENT_ERROR options flags are too long\r\n"},
  };
  for (const auto& [line, reply] : cases) {
    const Refusal refusal = refusal_of(line + "\r\n");
    EXPECT_EQ(refusal.reply, reply) << line;
    EXPECT_EQ(refusal.swallow, 7U) << line;
    EXPECT_FALSE(refusal.close) << line;
  }
}

TEST(MetaSet, ClosesWhereTheLengthIsUnreadable) {
  for (const std::string_view line : {"ms k S1\r\n", "ms k 2147483646\r\n", "ms k +1\r\n"}) {
    EXPECT_EQ(refusal_of(line).reply, kBadFormat) << line;
    EXPECT_TRUE(refusal_of(line).close) << line;
  }
  for (const std::string_view line : {"ms k\r\n", "ms k -1\r\n"}) {
    EXPECT_EQ(refusal_of(line).reply, kBadFormat) << line;
    EXPECT_FALSE(refusal_of(line).close) << line;
  }
}

TEST(MetaSet, RefusesAValueOverTheLimitEvenWhenQuiet) {
  const Refusal refusal = refusal_of("ms k 101 q\r\n", Limits{.value_max = ByteCount{100}});

  EXPECT_EQ(refusal.reply, "SERVER_ERROR object too large for cache\r\n");
  EXPECT_EQ(refusal.swallow, 103U);
  EXPECT_TRUE(refusal.forgets);
}

}  // namespace
}  // namespace mcsteady::protocol
