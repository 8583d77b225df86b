// What a binary client meets on a listener that asks who it is. The expected replies are those of
// memcached 1.6.18 -S.

#include "proxy/binary_fixture.h"

namespace mcsteady::test {
namespace {

const std::string kNul(1, '\0');

BinaryRequest plain(const std::string& response, Opcode opcode = Opcode::SaslAuth,
                    const std::string& mechanism = "PLAIN") {
  return {.opcode = opcode, .key = mechanism, .value = response, .opaque = 77};
}
BinaryRequest introduction(const std::string& user, const std::string& password) {
  return plain(kNul + user + kNul + password);
}

class SaslTest : public BinaryTest {
 protected:
  SaslTest() {
    options.listeners[0].auth_file = "users";
    options.client.auth.failure_delay = Duration{0};
    credentials.users["app"] = {.text = "secret", .is_hash = false};
  }
  void expect_refused(const BinaryRequest& request) {
    const BinaryReply reply = ask_one(request);
    EXPECT_EQ(reply.status, Status::AuthError);
    EXPECT_EQ(reply.value, "Auth failure.");
  }
};

TEST_F(SaslTest, EveryOtherCommandIsRefusedAndHungUpOn) {
  start(1);
  for (const Opcode opcode :
       {Opcode::Noop, Opcode::Version, Opcode::Get, Opcode::GetQ, Opcode::SetQ, Opcode::Quit,
        Opcode::QuitQ, Opcode::Stat, Opcode::Flush}) {
    client_ = &connect();
    expect_refused({.opcode = opcode, .key = "k"});
    EXPECT_TRUE(client_->is_over());
  }
  EXPECT_EQ(servers[0]->requests().size(), 0U);
}

TEST_F(SaslTest, PlainIsTheOneMechanism) {
  start(1);

  EXPECT_EQ(ask_one({.opcode = Opcode::SaslList}).value, "PLAIN");
  expect_refused(plain(kNul + "app" + kNul + "secret", Opcode::SaslAuth, "CRAM-MD5"));
  EXPECT_EQ(ask_one(plain(kNul + "app" + kNul + "secret", Opcode::SaslAuth, "plain")).status,
            Status::Ok);
}

TEST_F(SaslTest, ARightPasswordLetsItIn) {
  start(1);
  const BinaryReply reply = ask_one(introduction("app", "secret"));

  EXPECT_EQ(reply.status, Status::Ok);
  EXPECT_EQ(reply.value, "Authenticated");
  EXPECT_EQ(get("a").status, Status::KeyNotFound);
  EXPECT_EQ(counted("auth_accepted"), 1U);
}

TEST_F(SaslTest, AWrongOneMayBeTriedAgainUpToTheLimit) {
  options.client.auth.tries_max = 2;
  start(1);
  expect_refused(introduction("app", "guess"));
  expect_refused(introduction("nobody", "secret"));

  EXPECT_TRUE(client_->is_over());
  EXPECT_EQ(closed("auth_failed"), 1U);
  EXPECT_EQ(counted("auth_failures"), 2U);
}

TEST_F(SaslTest, AResponseThatIsNoneIsRefused) {
  start(1);
  for (const std::string& response :
       {std::string("app secret"), kNul + "app", kNul + "app" + kNul, kNul + kNul + "secret",
        "other" + kNul + "app" + kNul + "secret", kNul + "app" + kNul + "secret" + kNul,
        kNul + "app" + kNul + std::string(60'000, 's')}) {
    expect_refused(plain(response));
  }
  EXPECT_EQ(ask_one(plain("app" + kNul + "app" + kNul + "secret")).status, Status::Ok);
}

TEST_F(SaslTest, TheResponseMayComeInAStepButOnlyInOneThatIsWaitedFor) {
  start(1);
  const BinaryRequest step = plain(kNul + "app" + kNul + "secret", Opcode::SaslStep);
  expect_refused(step);
  const BinaryReply reply = ask_one(plain(""));
  EXPECT_EQ(reply.status, Status::AuthContinue);
  EXPECT_EQ(reply.value, "");
  EXPECT_EQ(ask_one(step).status, Status::Ok);
  expect_refused(step);
}

TEST_F(SaslTest, TheCommandsHaveTheirForm) {
  start(1);
  const BinaryRequest without_mechanism = plain("x", Opcode::SaslAuth, "");
  for (const BinaryRequest& request : std::vector<BinaryRequest>{
           {.opcode = Opcode::SaslList, .key = "k"},
           {.opcode = Opcode::SaslAuth, .extras = "1234", .key = "PLAIN", .value = "x"},
           without_mechanism}) {
    client_ = &connect();
    EXPECT_EQ(ask_one(request).status, Status::InvalidArguments);
    EXPECT_TRUE(client_->is_over());
  }
  client_ = &connect();
  expect_refused(plain("x", Opcode::SaslAuth, std::string(32, 'P')));
  EXPECT_EQ(ask_one(plain("x", Opcode::SaslAuth, std::string(33, 'P'))).status,
            Status::InvalidArguments);
  EXPECT_FALSE(client_->is_over());
}

TEST_F(SaslTest, ItIsUnderstoodWhereverItIsCut) {
  start(1);
  const std::string bytes = introduction("app", "secret").bytes();
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    SimPeer& client = connect();
    EXPECT_EQ(ask(client, bytes.substr(0, cut)), "");
    const auto replies = replies_of(ask(client, bytes.substr(cut)));
    ASSERT_EQ(replies.size(), 1U) << cut;
    EXPECT_EQ(replies[0].status, Status::Ok);
  }
}

TEST_F(SaslTest, WhoIsInAndGetsItWrongIsOutAgain) {
  start(1);
  ask_one(introduction("app", "secret"));
  expect_refused(introduction("app", "guess"));

  expect_refused({.opcode = Opcode::Get, .key = "k"});
}

TEST_F(SaslTest, RequestsBehindItWaitForTheVerdict) {
  credentials.users["app"] = {
      .text = "$5$rounds=1000$saltsalt$eKLZU9t9OoPWrqOQsoTIKG0aYkZ5rGOoOQhiIvoSWX2",
      .is_hash = true};
  start(1);
  EXPECT_EQ(ask_all(introduction("app", "secret").bytes() + bytes_of(Opcode::Noop)).size(), 0U);
  background.run_one();
  run_for(5ms);

  EXPECT_EQ(replies_of(client_->take_received()).size(), 2U);
}

}  // namespace
}  // namespace mcsteady::test
