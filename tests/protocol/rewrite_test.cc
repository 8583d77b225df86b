#include "mcsteady/protocol/rewrite.h"

#include <gtest/gtest.h>

namespace mcsteady::protocol {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
const Rewrite kKeys{.strip = "u:", .add = "v2:"};
const Rewrite kShort{.ttl_max = std::chrono::seconds(60)};

/// The line without its end, or "refused".
std::string line(Verb verb, std::string_view asked, const Rewrite& rewrite) {
  const auto text = rewritten(verb, asked, rewrite, kNow);
  return text ? text->substr(0, text->size() - 2) : "refused";
}

TEST(Rewrites, StripAndAddBeginningsOfKeys) {
  EXPECT_EQ(line(Verb::Get, "get u:1", kKeys), "get v2:1");
  EXPECT_EQ(line(Verb::Set, "set u:1 0 0 5", kKeys), "set v2:1 0 0 5");
  EXPECT_EQ(line(Verb::Gat, "gat 10 u:1", kKeys), "gat 10 v2:1");
  EXPECT_EQ(line(Verb::MetaGet, "mg u:1 v k O1", kKeys), "mg v2:1 v k O1");
  EXPECT_EQ(line(Verb::Get, "get w:1", kKeys), "get v2:w:1");
  EXPECT_EQ(line(Verb::Get, "get u:1", {.strip = "u:"}), "get 1");
}

TEST(Rewrites, ChangeTheBytesOfAKeyInBase64) {
  EXPECT_EQ(line(Verb::MetaGet, "mg dTox b v", kKeys), "mg djI6MQ== b v");  // u:1, v2:1
}

TEST(Rewrites, RefuseAKeyThatIsNoneAnyMore) {
  const std::string key(247, 'k');
  EXPECT_EQ(line(Verb::Get, "get " + key, {.add = "abc"}), "get abc" + key);
  EXPECT_EQ(line(Verb::Get, "get " + key, {.add = "abcd"}), "refused");
  EXPECT_EQ(line(Verb::Get, "get u:", kKeys), "refused");
}

TEST(Rewrites, CapWhatIsToLiveLonger) {
  EXPECT_EQ(line(Verb::Set, "set k 0 0 5", kShort), "set k 0 60 5");
  EXPECT_EQ(line(Verb::Set, "set k 61 60 5", kShort), "set k 61 60 5");
  EXPECT_EQ(line(Verb::Cas, "cas k 0 61 5 99", kShort), "cas k 0 60 5 99");
  EXPECT_EQ(line(Verb::Touch, "touch k 0", kShort), "touch k 60");
  EXPECT_EQ(line(Verb::Gats, "gats 2592000 k", kShort), "gats 60 k");
  EXPECT_EQ(line(Verb::Get, "get k", kShort), "get k");
  EXPECT_EQ(line(Verb::Incr, "incr k 100", kShort), "incr k 100");
}

TEST(Rewrites, CapTimesOfDay) {
  EXPECT_EQ(line(Verb::Set, "set k 0 1800000059 5", kShort), "set k 0 1800000059 5");
  EXPECT_EQ(line(Verb::Set, "set k 0 1800000061 5", kShort), "set k 0 60 5");
  EXPECT_EQ(line(Verb::Set, "set k 0 1700000000 5", kShort), "set k 0 1700000000 5");  // has been
}

TEST(Rewrites, LeaveWhatIsGoneAtOnceAndWhatIsNoTime) {
  EXPECT_EQ(line(Verb::Set, "set k 0 -1 5", kShort), "set k 0 -1 5");
  EXPECT_EQ(line(Verb::Touch, "touch k abc", kShort), "touch k abc");
  EXPECT_EQ(line(Verb::Touch, "touch k 99999999999999999999", kShort),
            "touch k 99999999999999999999");
}

TEST(Rewrites, CapMetaTimes) {
  EXPECT_EQ(line(Verb::MetaSet, "ms k 5", kShort), "ms k 5 T60");
  EXPECT_EQ(line(Verb::MetaSet, "ms k 5 T0 F7", kShort), "ms k 5 T60 F7");
  EXPECT_EQ(line(Verb::MetaSet, "ms T90 5 T30", kShort), "ms T90 5 T30");
  EXPECT_EQ(line(Verb::MetaGet, "mg k v T100 N0 R30", kShort), "mg k v T60 N60 R30");
  EXPECT_EQ(line(Verb::MetaGet, "mg k v", kShort), "mg k v");
  EXPECT_EQ(line(Verb::MetaArithmetic, "ma k N100 J5 D2", kShort), "ma k N60 J5 D2");
}

TEST(Rewrites, PutTheClientsKeyBackIntoReplies) {
  EXPECT_EQ(restored(Verb::Gets, "VALUE v2:1 7 5 99\r\n", "gets u:1\r\n"), "VALUE u:1 7 5 99\r\n");
  EXPECT_EQ(restored(Verb::Gat, "VALUE v2:1 7 5\r\n", "gat 0 u:1\r\n"), "VALUE u:1 7 5\r\n");
  EXPECT_EQ(restored(Verb::MetaGet, "VA 5 kv2:1 O1 t-1\r\n", "mg u:1 v k O1 t\r\n"),
            "VA 5 ku:1 O1 t-1\r\n");
  EXPECT_EQ(restored(Verb::MetaDelete, "HD\r\n", "md u:1\r\n"), "HD\r\n");
  EXPECT_EQ(restored(Verb::MetaDebug, "ME v2:1 exp=-1 la=2\r\n", "me u:1\r\n"),
            "ME u:1 exp=-1 la=2\r\n");
}

}  // namespace
}  // namespace mcsteady::protocol
