#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mcsteady/protocol/binary.h"
#include "support/binary_packets.h"

namespace mcsteady::protocol::binary {
namespace {

using test::big_endian;
using test::BinaryReply;

BinaryReply read(const Reply& reply) {
  const std::string bytes = std::string(reply.head.view()).append(reply.rest);
  std::string_view rest = bytes;
  const auto replies = test::read_replies(rest);
  EXPECT_TRUE(replies && replies->size() == 1 && rest.empty());
  return replies && !replies->empty() ? replies->front() : BinaryReply{};
}
ReplyLine line_of(std::string_view sent) {
  const auto line = parse_reply_line(sent, ReplyShape::Meta);
  EXPECT_TRUE(line && line->has_value()) << sent;
  return **line;
}
BinaryReply translated(const Call& call, const std::string& sent, std::string_view value = {}) {
  return read(translate(call, "key", line_of(sent), value));
}

TEST(BinaryReplies, RepeatOpcodeAndOpaque) {
  const BinaryReply reply =
      read(empty_reply({.verb = Verb::MetaNoop, .opcode = 0x0a, .opaque = 0xa1b2c3d4}));

  EXPECT_EQ(reply.opcode, Opcode::Noop);
  EXPECT_EQ(reply.opaque, 0xa1b2c3d4U);
}

TEST(BinaryReplies, AHitHasItsFlagsInTheExtrasAndItsCasInTheHeader) {
  const BinaryReply reply =
      translated({.verb = Verb::Get}, "VA 5 f4294967295 c18446744073709551615\r\n", "value");

  EXPECT_EQ(reply.extras, "\xff\xff\xff\xff");
  EXPECT_EQ(reply.cas, ~0ULL);
  EXPECT_EQ(reply.key, "");
  EXPECT_EQ(reply.value, "value");
}

TEST(BinaryReplies, OtherFlagsOfTheServersLineAreReadOver) {
  const BinaryReply reply =
      translated({.verb = Verb::Get}, "VA 1 b f7 W kZm9v c3 O77 t-1\r\n", "x");

  EXPECT_EQ(reply.extras, big_endian(7, 4));
  EXPECT_EQ(reply.cas, 3U);
}

TEST(BinaryReplies, FlagsOfMoreThanThirtyTwoBitsAreCut) {
  EXPECT_EQ(translated({.verb = Verb::Get}, "VA 1 f4294967301 c3\r\n", "x").extras,
            big_endian(5, 4));
}

TEST(BinaryReplies, ANumberIsEightBytes) {
  EXPECT_EQ(translated({.verb = Verb::Incr}, "VA 20 c8\r\n", "18446744073709551615").number(),
            ~0ULL);
  EXPECT_EQ(translated({.verb = Verb::Decr}, "VA 3 c8\r\n", "9  ").number(), 9U);
  EXPECT_EQ(translated({.verb = Verb::Decr}, "VA 3 c8\r\n", "9  ").cas, 8U);
}

TEST(BinaryReplies, TheWordForNotStoredDependsOnTheCommand) {
  EXPECT_EQ(translated({.verb = Verb::Add}, "NS\r\n").status, Status::KeyExists);
  EXPECT_EQ(translated({.verb = Verb::Replace}, "NS c0\r\n").status, Status::KeyNotFound);
  EXPECT_EQ(translated({.verb = Verb::Append}, "NS\r\n").status, Status::NotStored);
  EXPECT_EQ(translated({.verb = Verb::Append}, "NS\r\n").value, "Not stored.");
}

TEST(BinaryReplies, EachStatusHasTheTextOfMemcached) {
  const Call set{.verb = Verb::Set};
  EXPECT_EQ(translated(set, "EX c0\r\n").value, "Data exists for key.");
  EXPECT_EQ(translated(set, "NF c0\r\n").value, "Not found");
  EXPECT_EQ(translated(set, "SERVER_ERROR object too large for cache\r\n").value, "Too large.");
  EXPECT_EQ(translated(set, "CLIENT_ERROR bad data chunk\r\n").value, "Invalid arguments");
  EXPECT_EQ(translated(set, "SERVER_ERROR out of memory storing object\r\n").value,
            "out of memory storing object");
}

TEST(BinaryReplies, WhatMemcachedHasNoStatusForKeepsItsText) {
  const BinaryReply reply = translated({.verb = Verb::Set}, "ERROR\r\n");

  EXPECT_EQ(reply.status, Status::InternalError);
  EXPECT_EQ(reply.value, "ERROR");
}

TEST(BinaryReplies, QuietRequestsAreNotToldOfMissesOfGetsOrOfOtherSuccesses) {
  const auto is_told = [](Verb verb, const std::string& sent) {
    return !translate({.verb = verb, .quiet = true}, "key", line_of(sent), {}).withheld;
  };
  EXPECT_FALSE(is_told(Verb::Get, "EN\r\n"));
  EXPECT_FALSE(is_told(Verb::Gat, "EN\r\n"));
  EXPECT_FALSE(is_told(Verb::Set, "HD c1\r\n"));
  EXPECT_FALSE(is_told(Verb::Delete, "HD\r\n"));
  EXPECT_TRUE(is_told(Verb::Delete, "NF\r\n"));
  EXPECT_TRUE(is_told(Verb::Set, "EX\r\n"));
  EXPECT_TRUE(is_told(Verb::Get, "SERVER_ERROR out of memory\r\n"));
}

TEST(BinaryReplies, UnavailableFollowsThePolicyForGetsAndFailsTheRest) {
  const auto reply_of = [](Verb verb, DownPolicy policy) {
    return read(unavailable_reply({.verb = verb}, "key", policy, "server: cause"));
  };
  EXPECT_EQ(reply_of(Verb::Get, DownPolicy::Miss).status, Status::KeyNotFound);
  EXPECT_EQ(reply_of(Verb::Gat, DownPolicy::Error).status, Status::TemporaryFailure);
  EXPECT_EQ(reply_of(Verb::Set, DownPolicy::Miss).status, Status::TemporaryFailure);
  EXPECT_EQ(reply_of(Verb::Touch, DownPolicy::Miss).value, "server: cause");
  EXPECT_TRUE(
      unavailable_reply({.verb = Verb::Get, .quiet = true}, "key", DownPolicy::Error, "").withheld);
}

std::vector<BinaryReply> stats_of(std::string_view text) {
  std::string bytes;
  compose_stats({.verb = Verb::Stats, .opcode = 0x10}, text, bytes);
  std::string_view rest = bytes;
  return test::read_replies(rest).value();
}

TEST(BinaryReplies, StatsAreOneReplyEachAndAnEmptyOneAtTheEnd) {
  const auto replies = stats_of("STAT pid 42\r\nSTAT text a b\r\nSTAT none \r\nEND\r\n");

  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0].key + "=" + replies[0].value, "pid=42");
  EXPECT_EQ(replies[1].key + "=" + replies[1].value, "text=a b");
  EXPECT_EQ(replies[2].key + "=" + replies[2].value, "none=");
  EXPECT_EQ(replies[3].key + replies[3].value, "");
}

TEST(BinaryReplies, StatsThatAreNotThereAreNotFound) {
  const auto replies = stats_of("ERROR\r\n");

  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].status, Status::KeyNotFound);
}

}  // namespace
}  // namespace mcsteady::protocol::binary
