#include <array>

#include "protocol/parse_one.h"

namespace mcsteady::protocol {
namespace {

TEST(ComposeCommand, PassesALineOnVerbatimWithItsCrlf) {
  EXPECT_EQ(command_of("get  a   b \n"), "get  a   b \r\n");
  EXPECT_EQ(command_of("set k 0 0 1 x\r\n"), "set k 0 0 1 x\r\n");
}

TEST(ComposeCommand, TakesNoreplyOffWhereItIsTheLastWord) {
  EXPECT_EQ(command_of("set k 0 0 1 noreply\r\n"), "set k 0 0 1\r\n");
  EXPECT_EQ(command_of("delete noreply  noreply  \r\n"), "delete noreply 0\r\n");
  EXPECT_EQ(command_of("flush_all noreply\r\n"), "flush_all\r\n");
  EXPECT_EQ(command_of("incr noreply 1\r\n"), "incr noreply 1\r\n");
}

TEST(ComposeCommand, TakesTheQuietFlagOffWhereverItStands) {
  EXPECT_EQ(command_of("mg q q\r\n"), "mg q\r\n");
  EXPECT_EQ(command_of("mg k q v Oq\r\n"), "mg k v Oq\r\n");
  EXPECT_EQ(command_of("mg k v  qx  t\r\n"), "mg k v  t\r\n");
  EXPECT_EQ(command_of("ms k 1 T30 q\r\n"), "ms k 1 T30\r\n");
}

TEST(ComposeCommand, LeavesTheFlagOfCommandsThatDoNotReadIt) {
  EXPECT_EQ(command_of("me k q\r\n"), "me k q\r\n");
  EXPECT_EQ(command_of("mn q\r\n"), "mn q\r\n");
}

TEST(DeletionOf, TakesTheSameKeyAwayInTheSameDialect) {
  const std::string key250(250, 'k');
  const std::pair<std::string, std::string> cases[] = {
      {"set k 0 0 1 noreply\r\n", "delete k 0"},
      {"set " + key250 + " 0 0 1\r\n", "delete " + key250 + " 0"},
      {"ms " + key250 + " 1 q ME\r\n", "md " + key250},
      {"ms AAEC 1 I b q C7\r\n", "md AAEC b"},
      {"ms b 1 Ob\r\n", "md b"},
      {"set noreply 0 0 1\r\n", "delete noreply 0"},
  };
  for (const auto& [line, deletion] : cases) {
    std::array<char, kDeletionMax> room;
    const Request storage = request_of(line);
    const Request request = deletion_of(storage, room);

    EXPECT_EQ(request.line, deletion);
    EXPECT_EQ(request.keys, storage.keys);
    EXPECT_EQ(request_of(deletion + "\r\n").verb, request.verb);
    EXPECT_FALSE(request.quiet);
  }
}

TEST(Idempotence, IsGivenToReadsAndPlainWrites) {
  for (const std::string_view line :
       {"get a b\r\n", "gets a\r\n", "gat 1 a\r\n", "set k 0 0 1\r\n", "delete k\r\n",
        "touch k 1\r\n", "mg k v t f c q k Ox\r\n", "ms k 1 T30 F1 c\r\n", "ms k 1 MS\r\n",
        "md k q\r\n", "me k\r\n", "mn\r\n", "version\r\n"}) {
    EXPECT_TRUE(is_idempotent(request_of(line))) << line;
  }
}

TEST(Idempotence, IsDeniedWhereASecondTimeMayDiffer) {
  for (const std::string_view line : {"add k 0 0 1\r\n",
                                      "replace k 0 0 1\r\n",
                                      "append k 0 0 1\r\n",
                                      "prepend k 0 0 1\r\n",
                                      "cas k 0 0 1 1\r\n",
                                      "incr k 1\r\n",
                                      "decr k 1\r\n",
                                      "flush_all\r\n",
                                      "mg k N30\r\n",
                                      "mg k R30\r\n",
                                      "mg k T30\r\n",
                                      "mg k E1\r\n",
                                      "mg k v Y\r\n",
                                      "ms k 1 MA\r\n",
                                      "ms k 1 MP\r\n",
                                      "ms k 1 ME\r\n",
                                      "ms k 1 MR\r\n",
                                      "ms k 1 C1\r\n",
                                      "ms k 1 I\r\n",
                                      "md k C1\r\n",
                                      "md k I\r\n",
                                      "md k x\r\n",
                                      "ma k\r\n"}) {
    EXPECT_FALSE(is_idempotent(request_of(line))) << line;
  }
}

}  // namespace
}  // namespace mcsteady::protocol
