// The binary front: each command, its reply, and the meta command that a server gets for it.

#include "proxy/binary_fixture.h"

namespace mcsteady::test {
namespace {

class BinaryCommandsTest : public BinaryTest {};

TEST_F(BinaryCommandsTest, AGetHasFlagsValueAndCas) {
  start(2);
  put("key", "value", 77);

  const BinaryReply reply = ask_one({.opcode = Opcode::Get, .key = "key", .opaque = 0xdeadbeef});

  EXPECT_EQ(reply.status, Status::Ok);
  EXPECT_EQ(reply.extras, big_endian(77, 4));
  EXPECT_EQ(reply.key, "");
  EXPECT_EQ(reply.value, "value");
  EXPECT_NE(reply.cas, 0U);
}

TEST_F(BinaryCommandsTest, AGetkRepeatsTheKeyOfAHitAndOfAMiss) {
  start(2);
  put("key", "value");

  const BinaryReply hit = ask_one({.opcode = Opcode::GetK, .key = "key"});
  const BinaryReply miss = ask_one({.opcode = Opcode::GetK, .key = "missing"});

  EXPECT_EQ(hit.key + "=" + hit.value, "key=value");
  EXPECT_EQ(miss.status, Status::KeyNotFound);
  EXPECT_EQ(miss.key, "missing");
  EXPECT_EQ(miss.value, "");
}

TEST_F(BinaryCommandsTest, AMissHasATextForItsValue) {
  start(1);

  const BinaryReply reply = get("missing");

  EXPECT_EQ(reply.status, Status::KeyNotFound);
  EXPECT_EQ(reply.value, "Not found");
}

TEST_F(BinaryCommandsTest, ServersAreAskedInMetaCommands) {
  start(1);
  BinaryRequest cas = storing(Opcode::Set, "a", "x", 5, 10);
  cas.cas = 3;
  ask_all(cas.bytes() + storing(Opcode::Add, "a", "xy").bytes() +
          storing(Opcode::ReplaceQ, "a", "").bytes() +
          BinaryRequest{.opcode = Opcode::Append, .key = "a", .value = "z"}.bytes() +
          BinaryRequest{.opcode = Opcode::PrependQ, .key = "a", .value = "z"}.bytes() +
          bytes_of(Opcode::GetKQ, "a") + touching(Opcode::Touch, "a", 100).bytes() +
          touching(Opcode::Gat, "a", 0xffffffff).bytes() + bytes_of(Opcode::DeleteQ, "a") +
          counting(Opcode::Increment, "a", 2).bytes() +
          counting(Opcode::DecrementQ, "a", 3, 4, 0).bytes() +
          BinaryRequest{.opcode = Opcode::Flush, .extras = big_endian(9, 4)}.bytes());

  EXPECT_EQ(servers[0]->requests(),
            (std::vector<std::string>{
                "ms a 1 T10 F5 C3 c", "ms a 2 T0 F0 ME c", "ms a 0 T0 F0 MR c", "ms a 1 MA c",
                "ms a 1 MP c", "mg a f c v", "mg a T100 f c", "mg a T2147483647 f c v", "md a",
                "ma a D2 c v", "ma a MD D3 N0 J4 c v", "flush_all 9"}));
}

TEST_F(BinaryCommandsTest, StorageSaysWhyItDidNotStore) {
  start(2);
  put("there", "x");
  const auto status = [this](BinaryRequest request, std::uint64_t cas = 0) {
    request.cas = cas;
    return ask_one(request).status;
  };

  EXPECT_EQ(status(storing(Opcode::Add, "there", "y")), Status::KeyExists);
  EXPECT_EQ(status(storing(Opcode::Replace, "missing", "y")), Status::KeyNotFound);
  EXPECT_EQ(status({.opcode = Opcode::Append, .key = "missing", .value = "y"}), Status::NotStored);
  EXPECT_EQ(status({.opcode = Opcode::Prepend, .key = "missing", .value = "y"}), Status::NotStored);
  EXPECT_EQ(status(storing(Opcode::Set, "there", "y"), 987654), Status::KeyExists);
  EXPECT_EQ(status(storing(Opcode::Set, "missing", "y"), 987654), Status::KeyNotFound);
  EXPECT_EQ(status(storing(Opcode::Add, "missing", "y"), 987654), Status::KeyNotFound);
  EXPECT_EQ(get("there").value, "x");
}

TEST_F(BinaryCommandsTest, AStoreTellsTheCasThatTheNextOneMayName) {
  start(2);
  const std::uint64_t cas = ask_one(storing(Opcode::Set, "key", "1")).cas;
  BinaryRequest second = storing(Opcode::Replace, "key", "2");
  second.cas = cas;

  const BinaryReply reply = ask_one(second);

  EXPECT_EQ(reply.status, Status::Ok);
  EXPECT_NE(reply.cas, cas);
  EXPECT_EQ(get("key").cas, reply.cas);
}

TEST_F(BinaryCommandsTest, AnAddWithTheRightCasStoresAsAnyOtherDoes) {
  start(1);
  put("key", "1");
  BinaryRequest add = storing(Opcode::Add, "key", "2");
  add.cas = get("key").cas;

  EXPECT_EQ(ask_one(add).status, Status::Ok);
  EXPECT_EQ(get("key").value, "2");
}

TEST_F(BinaryCommandsTest, AppendAndPrependExtendTheValue) {
  start(2);
  put("key", "b", 7);
  ask_one({.opcode = Opcode::Append, .key = "key", .value = "c"});
  ask_one({.opcode = Opcode::Prepend, .key = "key", .value = "a"});

  EXPECT_EQ(get("key").value, "abc");
  EXPECT_EQ(get("key").extras, big_endian(7, 4));
}

TEST_F(BinaryCommandsTest, ADeleteMayNameACas) {
  start(2);
  put("key", "value");
  const std::uint64_t cas = get("key").cas;

  EXPECT_EQ(ask_one({.opcode = Opcode::Delete, .key = "key", .cas = cas + 1}).status,
            Status::KeyExists);
  EXPECT_EQ(ask_one({.opcode = Opcode::Delete, .key = "key", .cas = cas}).status, Status::Ok);
  EXPECT_EQ(ask_one({.opcode = Opcode::Delete, .key = "key"}).status, Status::KeyNotFound);
}

TEST_F(BinaryCommandsTest, CountersStartAtTheInitialValueUnlessTheyAreNotToBeCreated) {
  start(2);

  EXPECT_EQ(ask_one(counting(Opcode::Increment, "key", 5)).status, Status::KeyNotFound);
  EXPECT_EQ(ask_one(counting(Opcode::Increment, "key", 5, 10, 0)).number(), 10U);
  EXPECT_EQ(ask_one(counting(Opcode::Increment, "key", 5, 10, 0)).number(), 15U);
  EXPECT_EQ(ask_one(counting(Opcode::Decrement, "key", 6)).number(), 9U);
  EXPECT_EQ(ask_one(counting(Opcode::Decrement, "key", 100)).number(), 0U);
  const std::uint64_t top = 0xffffffffffffffff;
  EXPECT_EQ(ask_one(counting(Opcode::Increment, "top", 1, top, 0)).number(), top);
}

TEST_F(BinaryCommandsTest, WhatIsNoNumberIsNotCounted) {
  start(1);
  put("key", "text");

  const BinaryReply reply = ask_one(counting(Opcode::Increment, "key", 1));

  EXPECT_EQ(reply.status, Status::NonNumeric);
  EXPECT_EQ(reply.value, "Non-numeric server-side value for incr or decr");
}

TEST_F(BinaryCommandsTest, TouchAndGatMoveTheExpiry) {
  start(1);
  put("key", "value", 3);

  const BinaryReply touched = ask_one(touching(Opcode::Touch, "key", 2));
  EXPECT_EQ(touched.extras, big_endian(3, 4));
  EXPECT_EQ(touched.value, "");
  run_for(1s);
  EXPECT_EQ(ask_one(touching(Opcode::Gat, "key", 2)).value, "value");
  run_for(1500ms);
  const BinaryReply hit = ask_one(touching(Opcode::GatK, "key", 1));
  EXPECT_EQ(hit.key + "=" + hit.value, "key=value");
  run_for(1100ms);
  EXPECT_EQ(ask_one(touching(Opcode::Gat, "key", 2)).status, Status::KeyNotFound);
  EXPECT_EQ(ask_one(touching(Opcode::GatK, "key", 2)).key, "key");
  EXPECT_EQ(ask_one(touching(Opcode::Touch, "key", 2)).value, "Not found");
}

TEST_F(BinaryCommandsTest, AFlushGoesToEveryServerAndIsAnsweredOnce) {
  start(3);
  put(key_on(0), "x");
  put(key_on(2), "x");

  const BinaryReply reply = ask_one({.opcode = Opcode::Flush});

  EXPECT_EQ(reply.status, Status::Ok);
  EXPECT_EQ(requests_seen("flush_all"), 3U);
  EXPECT_EQ(get(key_on(2)).status, Status::KeyNotFound);
}

TEST_F(BinaryCommandsTest, NoopVersionAndStatAreAnsweredHere) {
  start(1);

  EXPECT_EQ(ask_one({.opcode = Opcode::Noop}).value, "");
  EXPECT_EQ(ask_one({.opcode = Opcode::Version}).value, "1.0-test");
  const auto stats = ask_all(bytes_of(Opcode::Stat));
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(stats[0].key + stats[0].value, "");
  EXPECT_EQ(servers[0]->requests().size(), 0U);
}

TEST_F(BinaryCommandsTest, QuitIsAnsweredAndClosesQuitqOnlyCloses) {
  start(1);
  SimPeer& loud = connect();
  const auto replies = replies_of(ask(loud, bytes_of(Opcode::Quit, 9) + bytes_of(Opcode::Noop)));
  SimPeer& quiet = connect();

  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].opaque, 9U);
  EXPECT_TRUE(loud.is_over());
  EXPECT_EQ(ask(quiet, bytes_of(Opcode::QuitQ)), "");
  EXPECT_TRUE(quiet.is_over());
  EXPECT_EQ(closed("quit"), 2U);
}

TEST_F(BinaryCommandsTest, TextAndBinaryClientsShareConnectionsAndItems) {
  start(1);
  put("key", "binary", 7);
  SimPeer& text = connect();

  EXPECT_EQ(ask(text, "get key\r\n"), "VALUE key 7 6\r\nbinary\r\nEND\r\n");
  EXPECT_EQ(ask(text, "set key 9 0 4\r\ntext\r\n"), "STORED\r\n");
  EXPECT_EQ(get("key").value, "text");
  EXPECT_EQ(get("key").extras, big_endian(9, 4));
  EXPECT_EQ(servers[0]->connections(), 1U);
}

TEST_F(BinaryCommandsTest, AKeyThatTextCannotCarryGoesInBase64) {
  start(1);
  const std::string key = std::string("a b\r\n\0c", 7);
  put(key, "value");

  const BinaryReply reply = ask_one({.opcode = Opcode::GetK, .key = key});

  EXPECT_EQ(reply.key, key);
  EXPECT_EQ(reply.value, "value");
  EXPECT_EQ(servers[0]->requests().back(), "mg YSBiDQoAYw== b f c v");
}

TEST_F(BinaryCommandsTest, AMetaClientFindsABase64KeyWhereABinaryOneHasPutIt) {
  start(3);
  SimPeer& meta = connect();
  for (const char* key : {"a b", "b b", "c b", "d b", "e b"}) put(key, key);

  for (const char* base64 : {"YSBi", "YiBi", "YyBi", "ZCBi", "ZSBi"}) {
    EXPECT_TRUE(ask(meta, "mg " + std::string(base64) + " b v\r\n").starts_with("VA 3")) << base64;
  }
}

TEST_F(BinaryCommandsTest, CommandsAreCountedByTheirTextVerbs) {
  start(1);
  put("key", "1");
  ask_all(bytes_of(Opcode::GetKQ, "key") + bytes_of(Opcode::GetQ, "missing") +
          bytes_of(Opcode::Noop));

  EXPECT_EQ(counted("cmd_set"), 1U);
  EXPECT_EQ(counted("cmd_get"), 2U);
  EXPECT_EQ(counted("cmd_mn"), 1U);
  EXPECT_EQ(counted("get_keys"), 2U);
  EXPECT_EQ(counted("get_hits"), 1U);
  EXPECT_EQ(counted("get_misses"), 1U);
}

}  // namespace
}  // namespace mcsteady::test
