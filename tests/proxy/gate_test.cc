// What a client meets on a listener that asks who it is.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

constexpr const char* kRight = "set auth 0 0 10\r\napp secret\r\n";
constexpr const char* kWrong = "set auth 0 0 9\r\napp guess\r\n";
constexpr const char* kRefused = "CLIENT_ERROR authentication failure\r\n";
constexpr const char* kUnauthenticated = "CLIENT_ERROR unauthenticated\r\n";

class GateTest : public WorkerTest {
 protected:
  GateTest() {
    options.listeners[0].auth_file = "users";
    options.client.auth.failure_delay = Duration{0};
    credentials.users["app"] = {.text = "secret", .is_hash = false};
  }
  void use_hash() {
    credentials.users["app"] = {
        .text = "$5$rounds=1000$saltsalt$eKLZU9t9OoPWrqOQsoTIKG0aYkZ5rGOoOQhiIvoSWX2",
        .is_hash = true};
  }
};

TEST_F(GateTest, NothingIsAnsweredBeforeTheClientSaysWhoItIs) {
  start(1);
  SimPeer& client = connect();
  for (const char* request : {"get a\r\n", "version\r\n", "stats\r\n", "quit\r\n", "mn\r\n",
                              "flush_all\r\n", "verbosity 1\r\n", "shutdown\r\n"}) {
    EXPECT_EQ(ask(client, request), kUnauthenticated) << request;
  }

  EXPECT_EQ(servers[0]->requests().size(), 0U);
  EXPECT_EQ(counted("cmd_get"), 0U);
}

TEST_F(GateTest, ARightPasswordLetsItInForGood) {
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, kRight), "STORED\r\n");
  EXPECT_EQ(ask(client, "get a\r\n"), "END\r\n");
  EXPECT_EQ(ask(client, kWrong), "STORED\r\n");  // an item by now, like any other
  EXPECT_EQ(counted("auth_accepted"), 1U);
  EXPECT_EQ(counted("auth_failures"), 0U);
}

TEST_F(GateTest, CredentialsNeverReachAServerOrTheLog) {
  start(1);
  ask(std::string(kWrong) + kRight + "get a\r\n");

  ASSERT_EQ(servers[0]->requests().size(), 1U);
  EXPECT_EQ(servers[0]->count("get"), 1U);
  for (const auto& event : log.events()) {
    EXPECT_EQ(event.text().find("secret"), std::string::npos);
    EXPECT_EQ(event.text().find("guess"), std::string::npos);
  }
}

TEST_F(GateTest, RequestsBehindTheIntroductionWaitForTheVerdict) {
  use_hash();
  start(1);
  store("a", "1");
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, std::string(kRight) + "get a\r\nmn\r\n"), "");
  EXPECT_EQ(servers[0]->requests().size(), 0U);
  background.run_one();
  run_for(5ms);

  EXPECT_EQ(client.take_received(), "STORED\r\n" + item("a", "1") + "END\r\nMN\r\n");
}

TEST_F(GateTest, AHashHoldsUpNoOtherClient) {
  use_hash();
  start(1);
  SimPeer& first = connect();
  ask(first, kRight);
  background.run_one();
  run_for(5ms);
  SimPeer& second = connect();
  ask(second, "set auth 0 0 9\r\napp guess\r\n");

  EXPECT_EQ(ask(first, "get a\r\n"), "STORED\r\nEND\r\n");
  EXPECT_EQ(second.received(), "");
}

TEST_F(GateTest, AClientThatGoesBeforeTheVerdictIsForgotten) {
  use_hash();
  start(1);
  SimPeer& client = connect();
  ask(client, kRight);
  client.reset();
  run_for(5ms);
  background.run_one();
  run_for(5ms);

  EXPECT_EQ(closed("client_closed"), 1U);
  EXPECT_EQ(counted("auth_accepted"), 0U);
}

TEST_F(GateTest, AClientThatFinishesSendingStillGetsTheVerdict) {
  use_hash();
  start(1);
  SimPeer& client = connect();
  ask(client, kRight);
  client.finish_sending();
  run_for(5ms);
  background.run_one();
  run_for(5ms);

  EXPECT_EQ(client.received(), "STORED\r\n");
  EXPECT_TRUE(client.ended());
}

TEST_F(GateTest, OneTryFewerThanTheLimitLeavesAWayIn) {
  options.client.auth.tries_max = 3;
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, repeated(kWrong, 2)), repeated(kRefused, 2));
  EXPECT_EQ(ask(client, kRight), "STORED\r\n");
  EXPECT_EQ(counted("auth_failures"), 2U);
}

TEST_F(GateTest, TheLastFailedTryClosesTheConnection) {
  options.client.auth.tries_max = 3;
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, repeated(kWrong, 3) + kRight), repeated(kRefused, 3));
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(closed("auth_failed"), 1U);
}

TEST_F(GateTest, AFailedTryIsAnsweredAfterTheDelayAndNotBefore) {
  options.client.auth.failure_delay = 1s;
  start(1);
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, std::string(kWrong) + kRight, 990ms), "");
  run_for(20ms);

  EXPECT_EQ(client.take_received(), std::string(kRefused) + "STORED\r\n");
}

TEST_F(GateTest, ATryThatCannotBeLookedAtIsNotCountedAsAFailure) {
  use_hash();
  background.full = true;
  options.client.auth.tries_max = 1;
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, kRight), "SERVER_ERROR too many clients authenticate at once\r\n");
  background.full = false;
  ask(client, kRight);
  background.run_one();
  run_for(5ms);
  EXPECT_EQ(client.received(), "STORED\r\n");
  EXPECT_EQ(counted("auth_busy"), 1U);
  EXPECT_EQ(counted("auth_failures"), 0U);
}

TEST_F(GateTest, AnIntroductionThatIsTooLongEndsTheConnection) {
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "set auth 0 0 16383\r\n"), "");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(closed("refused"), 1U);
}

TEST_F(GateTest, ADrainWaitsForAVerdict) {
  use_hash();
  start(1);
  SimPeer& client = connect();
  ask(client, kRight);
  bool drained = false;
  worker->drain([&] { drained = true; });
  run_for(5ms);
  EXPECT_FALSE(drained);
  background.run_one();
  run_for(5ms);

  EXPECT_EQ(client.received(), "STORED\r\n");
  EXPECT_TRUE(drained);
}

}  // namespace
}  // namespace mcsteady::test
