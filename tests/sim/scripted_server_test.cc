#include "support/scripted_server.h"

#include <gtest/gtest.h>

#include <string>

#include "support/sim_loop.h"
#include "support/sim_peer.h"

namespace mcsteady::test {
namespace {

using namespace std::chrono_literals;

const net::Endpoint kPlace{.host = "127.0.0.1", .port = 11211, .unix_path = {}};

class ScriptedServerTest : public testing::Test {
 protected:
  /// What comes back for `request` within a second.
  std::string ask(const std::string& request) {
    client.send(request);
    client_side.run_for(1s);
    return client.take_received();
  }

  SimNetwork network{11};
  SimLoop server_side{network};
  SimLoop client_side{network};
  ScriptedServer server{server_side, kPlace};
  SimPeer client{client_side, server.address()};
};

TEST_F(ScriptedServerTest, AnswersAPipelineInOrderHoweverItIsCut) {
  const std::string requests =
      "set a 5 0 3\r\nabc\r\nget a b\r\nms c 2 T0 c\r\nhi\r\nmg c v\r\nincr n 1\r\nmn\r\n";
  const std::string replies =
      "STORED\r\nVALUE a 5 3\r\nabc\r\nEND\r\nHD c2\r\nVA 2\r\nhi\r\nNOT_FOUND\r\nMN\r\n";
  for (std::size_t cut = 0; cut < requests.size(); ++cut) {
    SCOPED_TRACE(cut);
    SimNetwork own(cut);
    SimLoop theirs(own);
    SimLoop ours(own);
    ScriptedServer fresh(theirs, kPlace);
    SimPeer peer(ours, fresh.address());
    peer.send(requests.substr(0, cut));
    ours.run_for(1ms);
    peer.send(requests.substr(cut));
    ours.run_for(1ms);
    EXPECT_EQ(peer.received(), replies);
  }
}

TEST_F(ScriptedServerTest, ADelayHoldsUpWhatIsBehindIt) {
  server.next(ServerAct::answer_after(300ms));
  client.send("get a\r\nmn\r\n");
  client_side.run_for(299ms);
  EXPECT_EQ(client.received(), "");
  client_side.run_for(2ms);

  EXPECT_EQ(client.received(), "END\r\nMN\r\n");
}

TEST_F(ScriptedServerTest, AHangIsForGoodOnItsConnectionOnly) {
  server.next(ServerAct::never_answer());
  EXPECT_EQ(ask("get a\r\nget b\r\n"), "");
  SimPeer other(client_side, server.address());
  other.send("get c\r\n");
  client_side.run_for(1s);

  EXPECT_EQ(other.received(), "END\r\n");
}

TEST_F(ScriptedServerTest, BreaksOffInTheMiddleOfAReply) {
  server.items().set("a", "0123456789");
  server.next(ServerAct::break_off_after(15));
  EXPECT_EQ(ask("get a\r\nget a\r\n"), "VALUE a 0 10\r\n0");

  EXPECT_TRUE(client.ended());
}

TEST_F(ScriptedServerTest, ResetsInPlaceOfAnAnswer) {
  server.next(ServerAct::reset_without_answer());
  EXPECT_EQ(ask("get a\r\n"), "");

  EXPECT_TRUE(client.broken().has_value());
}

TEST_F(ScriptedServerTest, PausesInTheMiddleOfAValue) {
  server.items().set("a", std::string(100, 'v'));
  ServerAct pausing;
  pausing.pause_in_the_middle = 200ms;
  server.next(pausing);
  client.send("get a\r\n");
  client_side.run_for(100ms);
  const std::size_t first_half = client.received().size();
  client_side.run_for(200ms);

  EXPECT_GT(first_half, 50U);
  EXPECT_LT(first_half, client.received().size());
  EXPECT_TRUE(client.received().ends_with("v\r\nEND\r\n"));
}

TEST_F(ScriptedServerTest, SendsStrayBytesOnAnIdleConnection) {
  ask("mn\r\n");
  server.send_stray("ERROR Too many open connections\r\n");
  client_side.run_until_idle();

  EXPECT_EQ(client.received(), "ERROR Too many open connections\r\n");
}

TEST_F(ScriptedServerTest, PutsStrayBytesInFrontOfAReply) {
  ServerAct straying;
  straying.stray = "STORED\r\n";
  server.next(straying);

  EXPECT_EQ(ask("get a\r\nmn\r\n"), "STORED\r\nEND\r\nMN\r\n");
}

TEST_F(ScriptedServerTest, AsksItsScriptForEachRequest) {
  server.script([](const MemcachedCommand& command) {
    return command.words[0] == "get" ? ServerAct::answer_with("SERVER_ERROR out of memory\r\n")
                                     : ServerAct::answer();
  });

  EXPECT_EQ(ask("get a\r\nmn\r\n"), "SERVER_ERROR out of memory\r\nMN\r\n");
  EXPECT_EQ(server.requests(), (std::vector<std::string>{"get a", "mn"}));
  EXPECT_EQ(server.count("get"), 1U);
}

TEST_F(ScriptedServerTest, AKilledServerRefusesUntilItIsStartedAgainEmpty) {
  server.items().set("a", "old");
  ask("mn\r\n");
  server.stop();
  SimPeer refused(client_side, server.address());
  client_side.run_for(1s);
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(refused.broken().has_value());
  server.start();
  SimPeer again(client_side, server.address());
  again.send("get a\r\n");
  client_side.run_for(1s);

  EXPECT_EQ(again.received(), "END\r\n");
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(ScriptedServerTest, WithoutReadingItMakesItsClientsSendShort) {
  server.set_receiving(false);
  EXPECT_EQ(ask(std::string("set a 0 0 1000000\r\n") + std::string(1'000'000, 'x') + "\r\n"), "");
  EXPECT_GT(client.unsent(), 0U);
  server.set_receiving(true);
  client_side.run_for(1s);

  EXPECT_EQ(client.received(), "STORED\r\n");
}

}  // namespace
}  // namespace mcsteady::test
