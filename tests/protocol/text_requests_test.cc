#include <limits>

#include "protocol/parse_one.h"

namespace mcsteady::protocol {
namespace {

const std::string kKey250(250, 'k');
const std::string kKey251(251, 'k');

struct Refused {
  std::string line;
  std::string_view reply;
  std::size_t swallow = 0;
  bool close = false;
};

void expect_refused(std::initializer_list<Refused> cases) {
  for (const Refused& expected : cases) {
    SCOPED_TRACE(expected.line);
    const Refusal refusal = refusal_of(expected.line + "\r\n");
    EXPECT_EQ(refusal.reply, expected.reply);
    EXPECT_EQ(refusal.swallow, expected.swallow);
    EXPECT_EQ(refusal.close, expected.close);
  }
}

TEST(Retrieval, GivesOneKeyExactly) {
  const Request request = request_of("get  alpha  \r\n");

  EXPECT_EQ(request.keys, "alpha");
  EXPECT_FALSE(request.several_keys);
  EXPECT_EQ(request.body_size, std::nullopt);
  EXPECT_FALSE(request.quiet);
}

TEST(Retrieval, SpansSeveralKeysFromTheFirstToTheLast) {
  const Request request = request_of("gets  alpha  beta \r\n");

  EXPECT_EQ(request.keys, "alpha  beta");
  EXPECT_TRUE(request.several_keys);
}

TEST(Retrieval, KeepsTheExptimeOfAGetAndTouchApart) {
  const Request request = request_of("gat -1 alpha beta\r\n");

  EXPECT_EQ(request.exptime, "-1");
  EXPECT_EQ(request.keys, "alpha beta");
  EXPECT_TRUE(request.several_keys);
}

TEST(Retrieval, ReadsNoreplyAsAKey) {
  const Request request = request_of("get alpha noreply\r\n");

  EXPECT_EQ(request.keys, "alpha noreply");
  EXPECT_FALSE(request.quiet);
}

TEST(Retrieval, RefusesTheLineForOneBadKey) {
  request_of("get " + kKey250 + "\r\n");
  expect_refused({
      {"get", kError},
      {"gets  ", kError},
      {"gat", kError},
      {"gat 0", "END\r\n"},
      {"gats 0 ", "END\r\n"},
      {"gat x", "CLIENT_ERROR invalid exptime argument\r\n"},
      {"get good " + kKey251, kBadFormat},
      {"get " + kKey251 + " good", kBadFormat},
      {"get good a\tb", kBadFormat},
      {"get a\x7f", kBadFormat},
      {std::string("get a\0b", 7), kBadFormat},
      {"get a\r", kBadFormat},
      {"gat x k", "CLIENT_ERROR invalid exptime argument\r\n"},
      {"gats 2147483648 k", "CLIENT_ERROR invalid exptime argument\r\n"},
  });
}

TEST(Retrieval, TakesBytesAboveAsciiInAKey) {
  EXPECT_EQ(request_of("get \xc3\xa4\xff\r\n").keys, "\xc3\xa4\xff");
}

TEST(Storage, GivesKeyAndBodySize) {
  const Request request = request_of("set alpha 4294967295 -1 10\r\n");

  EXPECT_EQ(request.keys, "alpha");
  EXPECT_EQ(request.body_size, 10U);
  EXPECT_FALSE(request.quiet);
}

TEST(Storage, IsQuietOnlyWithNoreplyInItsPlace) {
  EXPECT_TRUE(request_of("set k 0 0 1 noreply\r\n").quiet);
  EXPECT_TRUE(request_of("cas k 0 0 1 7 noreply\r\n").quiet);
  EXPECT_FALSE(request_of("set noreply 0 0 1\r\n").quiet);
  EXPECT_FALSE(request_of("set k 0 0 1 NOREPLY\r\n").quiet);
}

TEST(Storage, SwallowsTheBodyOfARefusedSet) {
  expect_refused({
      {"set " + kKey251 + " 0 0 5", kBadFormat, 7},
      {"set k\t 0 0 5", kBadFormat, 7},
      {"set k x 0 5", kBadFormat, 7},
      {"set k -1 0 5", kBadFormat, 7},
      {"set k 4294967296 0 5", kBadFormat, 7},
      {"set k 0 x 5", kBadFormat, 7},
      {"set k 0 2147483648 5", kBadFormat, 7},
      {"set k 0 99999999999999999999 5", kBadFormat, 7},
      {"set k 0 0 5 noreply x", kError, 7},
      {"cas k 0 0 5", kError, 7},
      {"cas k 0 0 5 x", kBadFormat, 7},
      {"cas k 0 0 5 18446744073709551616", kBadFormat, 7},
      {"cas k 0 0 5 1 x y", kError, 7},
  });
}

TEST(Storage, SaysNothingOfARefusalToAQuietClient) {
  expect_refused({
      {"set k x 0 5 noreply", "", 7},
      {"cas k 0 0 5 noreply", "", 7},
      {"set k 0 0 8388609 noreply", "", 8388611},
  });
}

TEST(Storage, ClosesWhereTheLengthIsUnreadable) {
  expect_refused({
      {"set k 0 0 x", kBadFormat, 0, true},
      {"set k 0 0 1x", kBadFormat, 0, true},
      {"set k 0 0 +1", kBadFormat, 0, true},
      {"set k 0 0 - noreply", kBadFormat, 0, true},
      {"set k 0 0 abc noreply", kBadFormat, 0, true},
      {"cas k 0 0 99999999999 1 noreply", kBadFormat, 0, true},
      {"set k 0 0 2147483646", kBadFormat, 0, true},
      {"set k 0 0 99999999999999", kBadFormat, 0, true},
      {"set k 0 0 18446744073709551617", kBadFormat, 0, true},
  });
}

TEST(Storage, ExpectsNoBodyBehindANegativeOrMissingLength) {
  expect_refused({{"set k 0 0 -1", kBadFormat},
                  {"set k 0 0 -1 noreply", ""},
                  {"set k 0 0", kError},
                  {"set", kError}});
}

TEST(Storage, RefusesAValueOverTheLimitWhole) {
  const Limits limits{.value_max = ByteCount{100}};
  EXPECT_EQ(request_of("set k 0 0 100\r\n", limits).body_size, 100U);

  const Refusal refusal = refusal_of("set k 0 0 101\r\n", limits);
  EXPECT_EQ(refusal.reply, "SERVER_ERROR object too large for cache\r\n");
  EXPECT_EQ(refusal.swallow, 103U);
  EXPECT_FALSE(refusal.close);
}

TEST(Storage, ForgetsWithASetOverTheLimitAlone) {
  const Limits limits{.value_max = ByteCount{100}};
  for (const std::string_view verb : {"set", "add", "replace", "append", "prepend", "cas"}) {
    const std::string unique = verb == "cas" ? " 1" : "";
    const std::string line = std::string(verb) + " k 0 0 101" + unique + " noreply\r\n";
    const Parsed parsed = parse_request(line, limits);

    EXPECT_EQ(parsed.refusal.swallow, 103U) << verb;
    EXPECT_EQ(parsed.refusal.forgets, verb == "set") << verb;
    EXPECT_EQ(parsed.request.keys, "k") << verb;
  }
  EXPECT_FALSE(refusal_of("set k x 0 101\r\n", limits).forgets);
}

TEST(Arithmetic, TakesAnUnsigned64BitDelta) {
  EXPECT_EQ(request_of("incr k 18446744073709551615\r\n").keys, "k");
  EXPECT_TRUE(request_of("decr k 1 noreply\r\n").quiet);
}

TEST(Arithmetic, RefusesWhatIsNoDelta) {
  constexpr std::string_view kBadDelta = "CLIENT_ERROR invalid numeric delta argument\r\n";
  expect_refused({
      {"incr k x", kBadDelta},
      {"incr k 1x", kBadDelta},
      {"incr k -1", kBadDelta},
      {"decr k 18446744073709551616", kBadDelta},
      {"incr k noreply", ""},
      {"incr k", kError},
      {"incr", kError},
      {"incr k 1 2 3", kError},
      {"incr " + kKey251 + " 1", kBadFormat},
      {"incr " + kKey251 + " 1 noreply", ""},
      {"incr k 1 \x01", kBadFormat},
  });
}

TEST(Touch, RefusesWhatIsNoExptime) {
  constexpr std::string_view kBadExptime = "CLIENT_ERROR invalid exptime argument\r\n";
  EXPECT_TRUE(request_of("touch k 30 noreply\r\n").quiet);
  expect_refused({
      {"touch k x", kBadExptime},
      {"touch k 2147483648", kBadExptime},
      {"touch k", kError},
      {"touch k 1 2 3", kError},
      {"touch " + kKey251 + " 1", kBadFormat},
  });
}

TEST(Delete, TakesTheZeroHoldTimeOfOldClients) {
  EXPECT_FALSE(request_of("delete k 0\r\n").quiet);
  EXPECT_TRUE(request_of("delete k 0 noreply\r\n").quiet);
  EXPECT_TRUE(request_of("delete k noreply\r\n").quiet);
  EXPECT_EQ(request_of("delete noreply\r\n").keys, "noreply");
  EXPECT_FALSE(request_of("delete noreply\r\n").quiet);
  EXPECT_EQ(command_of("delete noreply\r\n"), "delete noreply 0\r\n");
  EXPECT_EQ(command_of("delete noreply noreply\r\n"), "delete noreply 0\r\n");
}

TEST(Delete, RefusesAnyOtherHoldTime) {
  constexpr std::string_view kUsage =
      "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]\r\n";
  expect_refused({
      {"delete", kError},
      {"delete k 5", kUsage},
      {"delete k noreply x", kUsage},
      {"delete k 0 x", kUsage},
      {"delete k 5 noreply", ""},
      {"delete k 0 noreply x", kError},
      {"delete " + kKey251, kBadFormat},
      {"delete a\x01", kBadFormat},
  });
}

TEST(Keyless, ReadsNumberAndNoreplyOfFlushAllAndVerbosity) {
  EXPECT_FALSE(request_of("flush_all\r\n").quiet);
  EXPECT_TRUE(request_of("flush_all noreply\r\n").quiet);
  EXPECT_TRUE(request_of("flush_all 10 noreply\r\n").quiet);
  EXPECT_TRUE(request_of("verbosity 1 noreply\r\n").quiet);
  expect_refused({
      {"flush_all x", "CLIENT_ERROR invalid exptime argument\r\n"},
      {"flush_all x noreply", ""},
      {"flush_all 1 noreply x", kError},
      {"verbosity", kError},
      {"verbosity x", kBadFormat},
      {"verbosity noreply", ""},
      {"stats \x01", kBadFormat},
  });
}

TEST(Keyless, AlwaysAnswersVersion) {
  EXPECT_FALSE(request_of("version noreply\r\n").quiet);
  EXPECT_EQ(command_of("version noreply\r\n"), "version noreply\r\n");
}

}  // namespace
}  // namespace mcsteady::protocol
