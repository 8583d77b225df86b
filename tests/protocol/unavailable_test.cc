#include "mcsteady/protocol/reply.h"
#include "protocol/parse_one.h"

namespace mcsteady::protocol {
namespace {

/// What a client that sent `line` gets when no server can answer.
std::string answer_to(std::string_view line, DownPolicy policy) {
  const Request request = request_of(line);
  std::string out = "before ";
  compose_unavailable(request.verb, request.quiet, command_of(line), policy, "no server", out);
  EXPECT_TRUE(out.starts_with("before "));
  return out.substr(7);
}

TEST(ComposeUnavailable, IsAMissWhereTheVerbHasOne) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"get a b\r\n", "END\r\n"}, {"gats 1 a\r\n", "END\r\n"}, {"mg k v\r\n", "EN\r\n"},
      {"me k\r\n", "EN\r\n"},     {"ms k 1\r\n", "NS\r\n"},    {"md k\r\n", "NF\r\n"},
      {"ma k\r\n", "NF\r\n"},
  };
  for (const auto& [line, reply] : cases) EXPECT_EQ(answer_to(line, DownPolicy::Miss), reply);
}

TEST(ComposeUnavailable, IsAnErrorWhereTheVerbHasNoMiss) {
  for (const std::string_view line :
       {"set k 0 0 1\r\n", "incr k 1\r\n", "delete k\r\n", "touch k 1\r\n", "mn\r\n"}) {
    EXPECT_EQ(answer_to(line, DownPolicy::Miss), "SERVER_ERROR no server\r\n") << line;
  }
}

TEST(ComposeUnavailable, EchoesOpaqueAndKeyInTheOrderAsked) {
  EXPECT_EQ(answer_to("mg key v k Oxyz t\r\n", DownPolicy::Miss), "EN kkey Oxyz\r\n");
  EXPECT_EQ(answer_to("mg key Oxyz v k\r\n", DownPolicy::Miss), "EN Oxyz kkey\r\n");
  EXPECT_EQ(answer_to("ms key 1 Oxyz k\r\n", DownPolicy::Miss), "NS Oxyz kkey\r\n");
  EXPECT_EQ(answer_to("md bg== k O1 b\r\n", DownPolicy::Miss), "NF kbg== b O1\r\n");
  EXPECT_EQ(answer_to("mg bg== b v\r\n", DownPolicy::Miss), "EN\r\n");
}

TEST(ComposeUnavailable, SaysSoUnderTheErrorPolicy) {
  for (const std::string_view line : {"get k\r\n", "mg k v\r\n", "ms k 1\r\n", "set k 0 0 1\r\n"}) {
    EXPECT_EQ(answer_to(line, DownPolicy::Error), "SERVER_ERROR no server\r\n") << line;
  }
}

TEST(ComposeUnavailable, NeverCutsAQuietBatchShort) {
  for (const DownPolicy policy : {DownPolicy::Miss, DownPolicy::Error}) {
    EXPECT_EQ(answer_to("mg k v k q\r\n", policy), "");
    EXPECT_EQ(answer_to("set k 0 0 1 noreply\r\n", policy), "");
    EXPECT_EQ(answer_to("ms k 1 q Oa\r\n", policy), "NS Oa\r\n");
    EXPECT_EQ(answer_to("md k q\r\n", policy), "NF\r\n");
  }
}

}  // namespace
}  // namespace mcsteady::protocol
