#include <array>

#include "protocol/parse_one.h"

namespace mcsteady::protocol {
namespace {

constexpr std::string_view kOneOfEach[] = {
    "get alpha beta\r\n",
    "gets alpha\r\n",
    "gat 30 alpha beta\r\n",
    "gats -1 alpha\r\n",
    "set k 1 2 3\r\n",
    "add k 1 2 3 noreply\r\n",
    "replace k 1 2 3\r\n",
    "append k 1 2 3\r\n",
    "prepend k 1 2 3\r\n",
    "cas k 1 2 3 4\r\n",
    "incr k 5\r\n",
    "decr k 5 noreply\r\n",
    "delete k\r\n",
    "touch k 30\r\n",
    "mg k v t Oabc\r\n",
    "ms k 3 T30 q\r\n",
    "md k q\r\n",
    "ma k D2 v\r\n",
    "me k\r\n",
    "mn\r\n",
    "version\r\n",
    "verbosity 1 noreply\r\n",
    "flush_all 10\r\n",
    "stats items\r\n",
    "quit\r\n",
};

TEST(RequestParser, KnowsEveryVerbByItsName) {
  ASSERT_EQ(std::size(kOneOfEach), kVerbCount);
  for (std::size_t i = 0; i < kVerbCount; ++i) {
    const auto verb = static_cast<Verb>(i);
    const std::string_view line = kOneOfEach[i];
    EXPECT_TRUE(line.starts_with(to_string(verb))) << line;
    EXPECT_EQ(request_of(line).verb, verb) << line;
  }
}

TEST(RequestParser, WaitsWhereverTheLineIsCut) {
  for (const std::string_view line : kOneOfEach) {
    for (std::size_t cut = 0; cut < line.size(); ++cut) {
      SCOPED_TRACE(line.substr(0, cut));
      const Parsed parsed = parse_request(line.substr(0, cut), Limits{});
      EXPECT_EQ(parsed.kind, Parsed::Kind::Incomplete);
      EXPECT_EQ(parsed.consumed, 0U);
    }
  }
}

TEST(RequestParser, TakesABareNewlineForALineEnd) {
  const Request request = request_of("get alpha\n");

  EXPECT_EQ(request.line, "get alpha");
  EXPECT_EQ(request.keys, "alpha");
}

TEST(RequestParser, LeavesWhatIsBehindTheLineAlone) {
  const Parsed parsed = parse_request("set k 0 0 1\r\n5\r\nget k\r\n", Limits{});

  EXPECT_EQ(parsed.consumed, std::string_view("set k 0 0 1\r\n").size());
  EXPECT_EQ(parsed.request.line, "set k 0 0 1");
}

TEST(RequestParser, DropsBlanksBeforeACommandThatOnlyOldServersTake) {
  EXPECT_EQ(command_of("  get k\r\n"), "get k\r\n");
}

TEST(RequestParser, AnswersAnUnknownCommandAsMemcachedDoes) {
  for (const std::string_view line :
       {"bogus\r\n", "bogus noreply\r\n", "\r\n", "\n", "   \r\n", "GET k\r\n", "m\r\n", "mx k\r\n",
        "getx k\r\n", "bget k\r\n"}) {
    const Refusal refusal = refusal_of(line);
    EXPECT_EQ(refusal.reply, kError) << line;
    EXPECT_EQ(refusal.swallow, 0U) << line;
    EXPECT_FALSE(refusal.close) << line;
  }
}

TEST(RequestParser, RefusesCommandsThatActOnOneServerByName) {
  for (const std::string_view line :
       {"shutdown\r\n", "cache_memlimit 64\r\n", "lru_crawler enable\r\n", "watch fetchers\r\n",
        "slabs automove 1\r\n", "lru mode flat\r\n", "refresh_certs\r\n"}) {
    const Refusal refusal = refusal_of(line);
    EXPECT_EQ(refusal.reply, "CLIENT_ERROR command not supported by proxy\r\n") << line;
    EXPECT_FALSE(refusal.close) << line;
  }
  EXPECT_EQ(refusal_of("cache_memlimit 64 noreply\r\n").reply, "");
}

TEST(RequestParser, HangsUpOnABrowser) {
  const Refusal refusal = refusal_of("POST / HTTP/1.1\r\n");

  EXPECT_EQ(refusal.reply, "");
  EXPECT_TRUE(refusal.close);
}

TEST(RequestParser, HangsUpOnTheBinaryProtocol) {
  const Refusal refusal = refusal_of(std::string_view("\x80\x0a\0\0", 4));

  EXPECT_EQ(refusal.reply, "");
  EXPECT_TRUE(refusal.close);
}

TEST(RequestParser, RefusesALineThatMemcachedWouldHangUpOn) {
  const std::string open = "mg " + std::string(2046, 'k');
  const std::string ended = "mg k" + std::string(2043, ' ') + "\r\n";
  for (const std::string& line : {open, ended}) {
    const Refusal refusal = refusal_of(line);
    EXPECT_EQ(refusal.reply, "CLIENT_ERROR line too long\r\n");
    EXPECT_TRUE(refusal.close);
  }
  EXPECT_EQ(parse_request(open.substr(0, 2048), Limits{}).kind, Parsed::Kind::Incomplete);
  request_of("mg k" + std::string(2042, ' ') + "\r\n");
}

TEST(RequestParser, LetsARetrievalBeLongUpToItsOwnLimit) {
  const Limits limits{.get_line_max = ByteCount{4096}};
  for (const std::string_view verb : {"get", "gets", "gat 1", "gats 1"}) {
    std::string line(verb);
    while (line.size() + 4 <= 4094) line += " key";
    EXPECT_EQ(parse_request(line, limits).kind, Parsed::Kind::Incomplete);
    EXPECT_TRUE(request_of(line + "\r\n", limits).several_keys);
    EXPECT_EQ(refusal_of(line + " more\r\n", limits).reply, "CLIENT_ERROR line too long\r\n");
  }
}

TEST(RequestParser, HoldsLinesToASmallerConfiguredLimit) {
  const Limits limits{.line_max = ByteCount{10}};

  EXPECT_TRUE(refusal_of("delete alphabet\r\n", limits).close);
  EXPECT_EQ(request_of("get a_key_of_length\r\n", limits).keys, "a_key_of_length");
}

TEST(KeyWalker, WalksKeysOverRunsOfBlanks) {
  KeyWalker walker("alpha  beta gamma ");

  EXPECT_EQ(walker.next(), "alpha");
  EXPECT_EQ(walker.rest(), "  beta gamma ");
  EXPECT_EQ(walker.next(), "beta");
  EXPECT_EQ(walker.next(), "gamma");
  EXPECT_EQ(walker.next(), "");
  EXPECT_EQ(walker.next(), "");
}

}  // namespace
}  // namespace mcsteady::protocol
