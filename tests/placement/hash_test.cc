#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mcsteady/placement/placement.h"
#include "placement/hasher.h"
#include "placement/md5.h"
#include "placement/murmur.h"
#include "placement/sha1.h"
#include "placement/spooky.h"
#include "placement/text_units.h"
#include "placement/vectors.h"

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

using Function = std::function<std::uint64_t(std::string_view)>;

Function function_of(Hash hash, std::uint64_t seed = 0) {
  return [hasher = Hasher(hash, seed)](std::string_view bytes) { return hasher(bytes); };
}

/// What pymemcache hashes: the low eight bits of each character.
std::uint64_t murmur3_of_text(std::string_view text) {
  Murmur3Stream hash(0);
  each_code_point(text, [&](std::uint32_t value) { hash.add(static_cast<unsigned char>(value)); });
  return hash.value();
}

const std::map<std::string, Function> kFunctions = {
    {"hashkit:one_at_a_time", function_of(Hash::OneAtATime)},
    {"hashkit:md5", function_of(Hash::Md5)},
    {"hashkit:crc16", function_of(Hash::Crc16)},
    {"hashkit:crc32", function_of(Hash::Crc32Upper)},
    {"hashkit:crc32a", function_of(Hash::Crc32)},
    {"hashkit:fnv1_64", function_of(Hash::Fnv1_64)},
    {"hashkit:fnv1a_64", function_of(Hash::Fnv1a_64)},
    {"hashkit:fnv1_32", function_of(Hash::Fnv1_32)},
    {"hashkit:fnv1a_32", function_of(Hash::Fnv1a_32)},
    {"hashkit:hsieh", function_of(Hash::Hsieh)},
    {"hashkit:murmur", function_of(Hash::Murmur2)},
    {"hashkit:jenkins", function_of(Hash::Jenkins)},
    {"libmemcached:murmur3", function_of(Hash::Murmur3)},
    {"xxh3_64 seed 0", function_of(Hash::Xxh3)},
    {"xxh3_64 seed xxh3_64(\"hello seed\")", function_of(Hash::Xxh3, seed_of("hello seed"))},
    {"murmur64a seed 4193360111", [](auto bytes) { return murmur64a(bytes, 4193360111); }},
    {"murmur64a seed 2718281828", [](auto bytes) { return murmur64a(bytes, 2718281828); }},
    {"spookyV2_32 seed 0xface2014", [](auto bytes) { return spooky32(bytes, 0xface2014); }},
    {"murmur3_32 seed 0, code points & 255 (pymemcache)", murmur3_of_text},
    {"java:NATIVE_HASH", function_of(Hash::JavaNative)},
    {"java:CRC_HASH", function_of(Hash::Crc32Upper)},
    {"java:FNV1_64_HASH", function_of(Hash::JavaFnv1_64)},
    {"java:FNV1A_64_HASH", function_of(Hash::JavaFnv1a_64)},
    {"java:FNV1_32_HASH", function_of(Hash::JavaFnv1_32)},
    {"java:FNV1A_32_HASH", function_of(Hash::JavaFnv1a_32)},
    {"java:KETAMA_HASH", function_of(Hash::Md5)},
    {"java:ONE_AT_A_TIME", function_of(Hash::JavaOneAtATime)},
};

TEST(Hashes, GiveTheValuesThatTheClientsOwnGive) {
  const auto keys = read_keys();
  const Hashes hashes = read_hashes();

  ASSERT_EQ(hashes.functions.size(), kFunctions.size());
  for (const auto& [name, values] : hashes.functions) {
    ASSERT_EQ(kFunctions.count(name), 1u) << name;
    ASSERT_EQ(values.size(), hashes.keys.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (kFunctions.at(name)(keys.at(hashes.keys[i])) != values[i]) ++wrong;
    }
    EXPECT_EQ(wrong, 0u) << name;
  }
}

TEST(Sha1, StartsAsInItsRfc) {
  EXPECT_EQ(sha1_start("abc"), 0xa9993e36u);
  EXPECT_EQ(sha1_start(""), 0xda39a3eeu);
  EXPECT_EQ(sha1_start("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), 0x84983e44u);
}

TEST(TextUnits, TakeAByteThatStartsNoCharacterAsItIs) {
  std::vector<std::uint32_t> values;
  for (const std::string_view text : {"\xc3\xa9", "\xe2\x82", "\xff", "\xc3", "\xf0\x9f\x98\x80"}) {
    each_code_point(text, [&](std::uint32_t value) { values.push_back(value); });
  }

  EXPECT_EQ(values, (std::vector<std::uint32_t>{0xe9, 0xe2, 0x82, 0xff, 0xc3, 0x1f600}));
}

}  // namespace
}  // namespace mcsteady::placement
