#include "protocol/words.h"

#include <gtest/gtest.h>

#include <string>

namespace mcsteady::protocol {
namespace {

TEST(Words, FindEveryBlankAndControlByteAtEveryPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text(20, 'x');
      text[at] = c;
      const bool stops = c == ' ' || is_control(c);
      const char* const end = text.data() + text.size();
      EXPECT_EQ(find_blank_or_control(text.data(), end), stops ? text.data() + at : end)
          << byte << " at " << at;
    }
  }
}

TEST(Words, AreNotEndedByBytesNextToTheOnesThatEndThem) {
  const std::string text = "\x80\xff!~\xa0\x81\xfe\x21 rest";

  EXPECT_EQ(Words(text).next(), text.substr(0, 8));
}

TEST(Words, SayWhetherAControlByteWasSeen) {
  Words words("clean di\trty clean");

  words.next();
  EXPECT_FALSE(words.saw_control());
  EXPECT_EQ(words.next(), "di\trty");
  EXPECT_TRUE(words.saw_control());
  EXPECT_EQ(words.skip_rest(), 1U);
}

TEST(Numbers, StopAtTheirLimits) {
  EXPECT_EQ(parse_unsigned<std::uint32_t>("4294967295"), 4294967295U);
  EXPECT_EQ(parse_unsigned<std::uint32_t>("4294967296"), std::nullopt);
  EXPECT_EQ(parse_unsigned<std::uint64_t>(""), std::nullopt);
  EXPECT_EQ(parse_unsigned<std::uint64_t>("-1"), std::nullopt);
  EXPECT_TRUE(is_exptime("-2147483648"));
  EXPECT_FALSE(is_exptime("2147483648"));
  EXPECT_FALSE(is_exptime(""));
  EXPECT_FALSE(is_exptime("1 "));
}

}  // namespace
}  // namespace mcsteady::protocol
