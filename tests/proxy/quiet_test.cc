// noreply and the meta q flag: what is withheld, and that servers are never told of either.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class QuietTest : public WorkerTest {
 protected:
  /// What comes back for a request that MN follows.
  std::string reply_before_mn(SimPeer& client, const std::string& request) {
    std::string reply = ask(client, request + "mn\r\n");
    EXPECT_TRUE(reply.ends_with("MN\r\n")) << request;
    return reply.substr(0, reply.size() - std::min<std::size_t>(reply.size(), 4));
  }
};

TEST_F(QuietTest, NoreplyIsSilentOnSuccessMissAndError) {
  start(2);
  SimPeer& client = connect();
  for (const char* request :
       {"set a 0 0 1 noreply\r\nx\r\n", "add a 0 0 1 noreply\r\nx\r\n",
        "replace b 0 0 1 noreply\r\nx\r\n", "append a 0 0 1 noreply\r\nx\r\n",
        "prepend b 0 0 1 noreply\r\nx\r\n", "cas a 0 0 1 77 noreply\r\nx\r\n",
        "incr a 1 noreply\r\n", "incr b 1 noreply\r\n", "decr b 1 noreply\r\n",
        "touch a 0 noreply\r\n", "touch b 0 noreply\r\n", "delete a noreply\r\n",
        "delete b noreply\r\n", "verbosity 1 noreply\r\n", "flush_all noreply\r\n",
        "incr a x noreply\r\n"}) {
    EXPECT_EQ(reply_before_mn(client, request), "") << request;
  }
}

TEST_F(QuietTest, TheQFlagHidesTheNominalReplyOnly) {
  start(2);
  SimPeer& client = connect();
  EXPECT_EQ(reply_before_mn(client, "ms a 2 q\r\n10\r\n"), "");
  EXPECT_EQ(reply_before_mn(client, "ms a 1 q ME\r\nx\r\n"), "NS\r\n");
  EXPECT_EQ(reply_before_mn(client, "mg a q v\r\n"), "VA 2\r\n10\r\n");
  EXPECT_EQ(reply_before_mn(client, "mg b q v\r\n"), "");
  EXPECT_EQ(reply_before_mn(client, "ma a q\r\n"), "");
  EXPECT_EQ(reply_before_mn(client, "ma a q v\r\n"), "");
  EXPECT_EQ(reply_before_mn(client, "ma b q\r\n"), "NF\r\n");
  EXPECT_EQ(reply_before_mn(client, "md b q\r\n"), "NF\r\n");
  EXPECT_EQ(reply_before_mn(client, "md a q\r\n"), "");
}

TEST_F(QuietTest, AnErrorIsToldInSpiteOfTheQFlag) {
  start(1);
  SimPeer& client = connect();
  servers[0]->next(ServerAct::answer_with("SERVER_ERROR out of memory\r\n"));

  EXPECT_EQ(reply_before_mn(client, "ms a 1 q\r\nx\r\n"), "SERVER_ERROR out of memory\r\n");
}

TEST_F(QuietTest, ServersAreNeverAskedForSilence) {
  start(1);
  ask("set a 0 0 1 noreply\r\nx\r\nmg a q v\r\ndelete a noreply\r\nflush_all noreply\r\n");

  EXPECT_EQ(servers[0]->requests(),
            (std::vector<std::string>{"set a 0 0 1", "mg a v", "delete a", "flush_all"}));
}

TEST_F(QuietTest, MnComesAfterAllBeforeItOverSeveralServers) {
  start(3);
  store(key_on(0), "first");
  store(key_on(2), "third");
  servers[0]->next(ServerAct::answer_after(60ms));
  servers[1]->next(ServerAct::answer_after(90ms));
  SimPeer& client = connect();
  client.send("mg " + key_on(0) + " q v\r\nmg " + key_on(1) + " q v\r\nmg " + key_on(2) +
              " q v\r\nmn\r\n");
  run_for(85ms);
  EXPECT_EQ(client.received(), "VA 5\r\nfirst\r\n");
  run_for(20ms);

  EXPECT_EQ(client.received(), "VA 5\r\nfirst\r\nVA 5\r\nthird\r\nMN\r\n");
}

}  // namespace
}  // namespace mcsteady::test
