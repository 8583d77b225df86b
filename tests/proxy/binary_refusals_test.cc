// What a binary client is told of requests that are not passed on, and of servers that give no
// reply; and its large values.

#include "proxy/binary_fixture.h"

namespace mcsteady::test {
namespace {

class BinaryRefusalsTest : public BinaryTest {
 protected:
  /// The request is answered with `status`, and the connection closed behind that.
  void expect_closed_with(Status status, const BinaryRequest& request) {
    SCOPED_TRACE(static_cast<int>(request.opcode));
    expect_closed_with(status, request.bytes());
  }
  void expect_closed_with(Status status, const std::string& bytes) {
    SimPeer& client = connect();
    const auto replies = replies_of(ask(client, bytes + bytes_of(Opcode::Noop)));
    ASSERT_EQ(replies.size(), 1U);
    EXPECT_EQ(replies[0].status, status);
    EXPECT_TRUE(client.is_over());
  }
};

TEST_F(BinaryRefusalsTest, AMalformedRequestIsToldSoAndHungUpOn) {
  start(1);
  const std::string long_key(251, 'k');
  for (const BinaryRequest& request : std::vector<BinaryRequest>{
           {.opcode = Opcode::Get},
           {.opcode = Opcode::Get, .extras = "1234", .key = "k"},
           {.opcode = Opcode::Get, .key = "k", .value = "v"},
           {.opcode = Opcode::Get, .key = long_key},
           {.opcode = Opcode::Set, .key = "k", .value = "v"},
           {.opcode = Opcode::SetQ, .extras = "12345678", .value = "v"},
           {.opcode = Opcode::Append, .extras = "1234", .key = "k", .value = "v"},
           {.opcode = Opcode::Delete, .extras = "1234", .key = "k"},
           {.opcode = Opcode::Increment, .extras = "12345678", .key = "k"},
           {.opcode = Opcode::Touch, .key = "k"},
           {.opcode = Opcode::Gat, .extras = "1234", .key = "k", .value = "v"},
           {.opcode = Opcode::Flush, .extras = "12"},
           {.opcode = Opcode::Noop, .value = "v"},
           {.opcode = Opcode::Version, .key = "k"},
           {.opcode = Opcode::Stat, .extras = "1234"},
           {.opcode = Opcode::SaslList, .key = "PLAIN"},
           {.opcode = Opcode::SaslAuth, .value = "word"},
           {.opcode = Opcode::Quit, .key = "k"}}) {
    expect_closed_with(Status::InvalidArguments, request);
  }
  EXPECT_EQ(servers[0]->requests().size(), 0U);
}

TEST_F(BinaryRefusalsTest, ABodyShorterThanWhatItIsToHoldIsHungUpOn) {
  start(1);
  std::string bytes = bytes_of(Opcode::Get, "key");
  bytes[11] = '\2';

  expect_closed_with(Status::UnknownCommand, bytes);
}

TEST_F(BinaryRefusalsTest, ABodyThatNoServerTakesIsHungUpOn) {
  start(1);
  std::string bytes = storing(Opcode::Set, "key", "").bytes();
  bytes[8] = '\x7f';

  expect_closed_with(Status::InvalidArguments, bytes);
}

TEST_F(BinaryRefusalsTest, OtherMagicIsHungUpOnWithoutAWord) {
  start(1);
  SimPeer& client = connect();

  const auto replies = replies_of(ask(client, bytes_of(Opcode::Noop, 1) + "get key\r\n"));

  EXPECT_EQ(replies.size(), 1U);
  EXPECT_TRUE(client.is_over());
  EXPECT_EQ(closed("refused"), 1U);
}

TEST_F(BinaryRefusalsTest, AnUnknownCommandIsToldSoAndItsBodyDropped) {
  start(1);
  const auto opcode = [](int number) { return static_cast<Opcode>(number); };
  for (const BinaryRequest& unknown : std::vector<BinaryRequest>{
           {.opcode = opcode(0x1b), .extras = "1234"},
           {.opcode = opcode(0x25), .extras = "1234", .key = "key", .value = "value"},
           {.opcode = opcode(0x30), .value = "value"},
           {.opcode = opcode(0xff), .key = "key"},
           {.opcode = Opcode::SaslList},
           {.opcode = Opcode::SaslAuth, .key = "PLAIN", .value = std::string("\0me\0word", 8)},
           {.opcode = Opcode::SaslStep, .key = "PLAIN"}}) {
    const auto replies = ask_all(unknown.bytes() + bytes_of(Opcode::Noop, 5));

    ASSERT_EQ(replies.size(), 2U) << static_cast<int>(unknown.opcode);
    EXPECT_EQ(replies[0].status, Status::UnknownCommand);
    EXPECT_EQ(replies[0].value, "Unknown command");
    EXPECT_EQ(replies[1].opaque, 5U);
  }
}

TEST_F(BinaryRefusalsTest, AValueOverTheLimitIsToldSoAndSwallowed) {
  options.client.limits.value_max = ByteCount{1000};
  start(1);

  EXPECT_EQ(ask_one(storing(Opcode::Set, "key", std::string(1000, 'x'))).status, Status::Ok);
  const auto replies = ask_quietly(storing(Opcode::SetQ, "key", std::string(1001, 'x')).bytes());
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].status, Status::TooLarge);
  EXPECT_EQ(replies[0].value, "Too large.");
}

TEST_F(BinaryRefusalsTest, WhatASetOverTheLimitWasToReplaceIsGone) {
  options.client.limits.value_max = ByteCount{1000};
  start(1);
  const std::string too_much(1001, 'x');
  put("key", "old");

  EXPECT_EQ(ask_one(storing(Opcode::Add, "key", too_much)).status, Status::TooLarge);
  EXPECT_EQ(get("key").value, "old");
  EXPECT_EQ(ask_one(storing(Opcode::SetQ, "key", too_much)).status, Status::TooLarge);
  EXPECT_EQ(get("key").status, Status::KeyNotFound);
  servers[0]->stop();
  EXPECT_EQ(ask_one(storing(Opcode::Set, "key", too_much)).status, Status::TooLarge);
}

TEST_F(BinaryRefusalsTest, AKeyThatIsTooLongForBase64IsRefusedAlone) {
  start(1);
  const auto status_of = [this](std::size_t size) {
    return ask_one(storing(Opcode::Set, std::string(size, ' '), "value")).status;
  };

  EXPECT_EQ(status_of(186), Status::Ok);
  EXPECT_EQ(status_of(187), Status::InvalidArguments);
  EXPECT_EQ(ask_one(storing(Opcode::Set, std::string(250, 'k'), "value")).status, Status::Ok);
}

TEST_F(BinaryRefusalsTest, ErrorsOfTheServerBecomeStatuses) {
  start(1);
  const auto reply_for = [this](const std::string& line) {
    servers[0]->next(ServerAct::answer_with(line));
    return ask_one(storing(Opcode::SetQ, "key", "value"));
  };

  EXPECT_EQ(reply_for("SERVER_ERROR object too large for cache\r\n").status, Status::TooLarge);
  const BinaryReply full = reply_for("SERVER_ERROR out of memory storing object\r\n");
  EXPECT_EQ(full.status, Status::OutOfMemory);
  EXPECT_EQ(full.value, "out of memory storing object");
  EXPECT_EQ(reply_for("CLIENT_ERROR bad data chunk\r\n").status, Status::InvalidArguments);
  const BinaryReply other = reply_for("SERVER_ERROR is closing\r\n");
  EXPECT_EQ(other.status, Status::InternalError);
  EXPECT_EQ(other.value, "is closing");
}

TEST_F(BinaryRefusalsTest, WithoutItsServerAGetMissesAndTheRestFailsForNow) {
  start(1);
  servers[0]->stop();

  EXPECT_EQ(get("key").status, Status::KeyNotFound);
  EXPECT_EQ(ask_one({.opcode = Opcode::GetK, .key = "key"}).key, "key");
  EXPECT_TRUE(ask_quietly(bytes_of(Opcode::GetKQ, "key")).empty());
  const BinaryReply failed = ask_one(storing(Opcode::SetQ, "key", "value"));
  EXPECT_EQ(failed.status, Status::TemporaryFailure);
  EXPECT_EQ(failed.value, "server0: connection refused");
  EXPECT_EQ(ask_one({.opcode = Opcode::Delete, .key = "key"}).status, Status::TemporaryFailure);
  EXPECT_EQ(ask_one({.opcode = Opcode::Flush}).status, Status::TemporaryFailure);
}

TEST_F(BinaryRefusalsTest, UnderTheErrorPolicyAGetFailsTooButAQuietOneIsSilent) {
  pool.on_down = protocol::DownPolicy::Error;
  start(1);
  servers[0]->stop();

  EXPECT_EQ(get("key").status, Status::TemporaryFailure);
  EXPECT_EQ(ask_one(touching(Opcode::GatK, "key", 1)).status, Status::TemporaryFailure);
  EXPECT_TRUE(ask_quietly(bytes_of(Opcode::GetKQ, "key")).empty());
}

TEST_F(BinaryRefusalsTest, LargeValuesComeAndGoWhole) {
  start(1);
  for (const std::size_t size : {8191U, 16384U, 16385U, 100'000U, 2'000'000U}) {
    std::string value(size, 'x');
    value[size / 2] = '\r';
    SimPeer& client = connect();
    client.send(storing(Opcode::Set, "key", value, 5).bytes() + bytes_of(Opcode::GetK, "key", 8) +
                bytes_of(Opcode::Noop, 9));
    run_for(200ms);

    const auto replies = replies_of(client.received());
    ASSERT_EQ(replies.size(), 3U) << size;
    EXPECT_EQ(replies[0].status, Status::Ok);
    EXPECT_EQ(replies[1].extras + replies[1].key, big_endian(5, 4) + "key");
    EXPECT_TRUE(replies[1].value == value) << size;
    EXPECT_EQ(replies[2].opaque, 9U);
  }
}

TEST_F(BinaryRefusalsTest, WithoutMemoryForItsValueASetIsToldSoAndSwallowed) {
  ceiling = KiB(200);
  start(1);
  SimPeer& client = connect();

  client.send(storing(Opcode::Set, "key", std::string(1'000'000, 'x')).bytes() +
              bytes_of(Opcode::Noop, 9));
  run_for(200ms);

  const auto replies = replies_of(client.received());
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].status, Status::OutOfMemory);
  EXPECT_EQ(replies[1].opaque, 9U);
}

}  // namespace
}  // namespace mcsteady::test
