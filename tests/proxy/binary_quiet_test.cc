// Quiet forms of binary commands: what is told, and that replies keep the order of requests.

#include "proxy/binary_fixture.h"

namespace mcsteady::test {
namespace {

class BinaryQuietTest : public BinaryTest {};

TEST_F(BinaryQuietTest, QuietGetsTellHitsOnly) {
  start(2);
  put("key", "value");

  const auto replies = ask_quietly(
      bytes_of(Opcode::GetQ, "missing", 1) + bytes_of(Opcode::GetQ, "key", 2) +
      bytes_of(Opcode::GetKQ, "missing", 3) + bytes_of(Opcode::GetKQ, "key", 4) +
      touching(Opcode::GatQ, "missing", 10).bytes() +
      touching(Opcode::GatKQ, "missing", 10).bytes() + touching(Opcode::GatKQ, "key", 10).bytes());

  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[0].opaque, 2U);
  EXPECT_EQ(replies[0].key, "");
  EXPECT_EQ(replies[1].opaque, 4U);
  EXPECT_EQ(replies[1].key, "key");
  EXPECT_EQ(replies[2].opcode, Opcode::GatKQ);
  EXPECT_EQ(replies[2].value, "value");
}

TEST_F(BinaryQuietTest, QuietChangesTellFailuresOnly) {
  start(1);

  EXPECT_TRUE(
      ask_quietly(
          storing(Opcode::SetQ, "a", "1").bytes() + storing(Opcode::AddQ, "b", "1").bytes() +
          storing(Opcode::ReplaceQ, "b", "2").bytes() +
          BinaryRequest{.opcode = Opcode::AppendQ, .key = "b", .value = "0"}.bytes() +
          BinaryRequest{.opcode = Opcode::PrependQ, .key = "b", .value = "1"}.bytes() +
          counting(Opcode::IncrementQ, "b", 1).bytes() +
          counting(Opcode::DecrementQ, "c", 1, 1, 0).bytes() + bytes_of(Opcode::DeleteQ, "a") +
          BinaryRequest{.opcode = Opcode::FlushQ, .extras = big_endian(100, 4)}.bytes())
          .empty());
  EXPECT_EQ(servers[0]->items().value("b"), std::nullopt);

  const auto failures =
      ask_quietly(storing(Opcode::ReplaceQ, "x", "2").bytes() +
                  BinaryRequest{.opcode = Opcode::AppendQ, .key = "x", .value = "0"}.bytes() +
                  counting(Opcode::IncrementQ, "x", 1).bytes() + bytes_of(Opcode::DeleteQ, "x"));
  std::vector<Status> told;
  for (const BinaryReply& reply : failures) told.push_back(reply.status);
  EXPECT_EQ(told, (std::vector<Status>{Status::KeyNotFound, Status::NotStored, Status::KeyNotFound,
                                       Status::KeyNotFound}));
}

TEST_F(BinaryQuietTest, RepliesKeepTheOrderOfRequestsOverSeveralServers) {
  start(3);
  put(key_on(0), "first");
  put(key_on(2), "third");
  servers[0]->next(ServerAct::answer_after(60ms));
  servers[1]->next(ServerAct::answer_after(90ms));
  SimPeer& client = connect();
  client.send(bytes_of(Opcode::GetKQ, key_on(0), 1) + bytes_of(Opcode::GetKQ, key_on(1), 2) +
              bytes_of(Opcode::GetKQ, key_on(2), 3) + bytes_of(Opcode::Noop, 4));
  run_for(85ms);
  EXPECT_EQ(replies_of(client.received()).size(), 1U);
  run_for(20ms);

  const auto replies = replies_of(client.received());
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[0].value, "first");
  EXPECT_EQ(replies[1].value, "third");
  EXPECT_EQ(replies[2].opaque, 4U);
}

TEST_F(BinaryQuietTest, RequestsMayBeCutAtAnyByte) {
  start(1);
  const std::string requests =
      storing(Opcode::Set, "key", "value").bytes() + bytes_of(Opcode::GetQ, "missing") +
      bytes_of(Opcode::GetK, "key", 7) + counting(Opcode::Increment, "n", 1, 5, 0).bytes() +
      bytes_of(Opcode::Noop, 9);
  for (std::size_t cut = 1; cut < requests.size(); ++cut) {
    servers[0]->items().set("n", "4");
    SimPeer& client = connect();
    client.send(requests.substr(0, cut));
    run_for(3ms);
    client.send(requests.substr(cut));
    run_for(5ms);

    const auto replies = replies_of(client.received());
    ASSERT_EQ(replies.size(), 4U) << cut;
    EXPECT_EQ(replies[1].key + "=" + replies[1].value, "key=value") << cut;
    EXPECT_EQ(replies[2].number(), 5U) << cut;
    EXPECT_EQ(replies[3].opaque, 9U) << cut;
    client.close();
  }
}

}  // namespace
}  // namespace mcsteady::test
