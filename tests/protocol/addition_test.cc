#include "mcsteady/protocol/addition.h"

#include <gtest/gtest.h>

namespace mcsteady::protocol {
namespace {

/// The line that adds what `reply` tells of, or "" where it does not tell enough.
std::string addition(Verb verb, std::string_view command, std::string_view key,
                     std::string_view reply) {
  const auto line = parse_reply_line(reply, reply_shape(verb));
  const auto made = addition_of(verb, command, key, line->value(), std::chrono::seconds(60));
  return made ? made->line : "";
}

TEST(Additions, OfAClassicGetHaveItsFlags) {
  EXPECT_EQ(addition(Verb::Get, "get k\r\n", "k", "VALUE k 4294967295 3\r\n"),
            "add k 4294967295 60 3\r\n");
  EXPECT_EQ(addition(Verb::Gets, "gets k\r\n", "k", "VALUE k 5 0 77\r\n"), "add k 5 60 0\r\n");
}

TEST(Additions, OfAMetaGetNeedItsFlags) {
  EXPECT_EQ(addition(Verb::MetaGet, "mg k v f\r\n", "k", "VA 3 f9\r\n"), "ms k 3 ME T60 F9\r\n");
  EXPECT_EQ(addition(Verb::MetaGet, "mg k v\r\n", "k", "VA 3\r\n"), "");
}

TEST(Additions, KeepAKeyInBase64) {
  EXPECT_EQ(addition(Verb::MetaGet, "mg aw== b v f k\r\n", "aw==", "VA 3 f0 kaw== b\r\n"),
            "ms aw== 3 ME T60 F0 b\r\n");
}

TEST(Additions, LeaveStaleItemsAndThoseBeingRenewed) {
  EXPECT_EQ(addition(Verb::MetaGet, "mg k v f\r\n", "k", "VA 3 f0 W X\r\n"), "");
  EXPECT_EQ(addition(Verb::MetaGet, "mg k v f R30\r\n", "k", "VA 3 f0 Z\r\n"), "");
}

TEST(Additions, AreOfHitsOnly) {
  EXPECT_EQ(addition(Verb::MetaGet, "mg k f\r\n", "k", "HD f0\r\n"), "");
  EXPECT_EQ(addition(Verb::Get, "get k\r\n", "k", "END\r\n"), "");
}

}  // namespace
}  // namespace mcsteady::protocol
