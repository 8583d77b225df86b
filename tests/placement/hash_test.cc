#include <gtest/gtest.h>

#include <string>

#include "placement/md5.h"
#include "placement/one_at_a_time.h"

namespace mcsteady::placement {
namespace {

std::string hex(std::string_view bytes) {
  std::string digits;
  for (std::uint32_t word : md5(bytes)) {
    for (int i = 0; i < 4; ++i, word >>= 8) {
      for (const unsigned nibble : {word >> 4 & 15, word & 15})
        digits += "0123456789abcdef"[nibble];
    }
  }
  return digits;
}

TEST(Md5, GivesTheDigestsOfItsRfc) {
  EXPECT_EQ(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(hex("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(hex("1234567890123456789012345678901234567890"
                "1234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(OneAtATime, GivesLibhashkitsValues) {
  EXPECT_EQ(one_at_a_time("24"), 0x5b567e5cu);
  EXPECT_EQ(one_at_a_time("key:00479"), 0x9c0bda05u);
  EXPECT_EQ(one_at_a_time("."), 0x48fc91ecu);
  EXPECT_EQ(one_at_a_time("що"), 0x2ef08532u);
  EXPECT_EQ(one_at_a_time("ز"), 0x4826be74u);
}

}  // namespace
}  // namespace mcsteady::placement
