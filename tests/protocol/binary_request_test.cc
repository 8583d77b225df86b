#include <gtest/gtest.h>

#include <array>
#include <string>

#include "mcsteady/protocol/binary.h"
#include "support/binary_packets.h"

namespace mcsteady::protocol::binary {
namespace {

using test::big_endian;
using test::BinaryRequest;
using test::bytes_of;
using test::counting;
using test::storing;
using test::touching;

Request request_of(const std::string& bytes) {
  const Parsed parsed = binary::parse_request(bytes, Limits{});
  EXPECT_EQ(parsed.kind, Parsed::Kind::Request);
  return parsed.request;
}
Refusal refusal_of(const std::string& bytes, const Limits& limits = {}) {
  const Parsed parsed = binary::parse_request(bytes, limits);
  EXPECT_EQ(parsed.kind, Parsed::Kind::Refusal);
  return parsed.refusal;
}
/// The command for a server, without its CRLF.
std::string command_of(const std::string& bytes) {
  const Request request = request_of(bytes);
  std::array<char, kCommandMax> out;
  return {out.data(), compose_command(request, out.data()) - 2};
}

TEST(BinaryRequestParser, WaitsWhereverHeaderExtrasAndKeyAreCut) {
  const std::string head = storing(Opcode::Set, "key", "value", 5).head();
  for (std::size_t cut = 0; cut < head.size(); ++cut) {
    const Parsed parsed = binary::parse_request(head.substr(0, cut), Limits{});
    EXPECT_EQ(parsed.kind, Parsed::Kind::Incomplete) << cut;
    EXPECT_EQ(parsed.consumed, 0U) << cut;
  }
  EXPECT_EQ(binary::parse_request(head, Limits{}).consumed, head.size());
}

TEST(BinaryRequestParser, ReadsWhatAStorageRequestHolds) {
  BinaryRequest sent = storing(Opcode::ReplaceQ, "key", "value", 0xfedcba98, 100);
  sent.opaque = 0x01020304;
  sent.cas = 0x1122334455667788;
  const std::string bytes = sent.bytes();

  const Request request = request_of(bytes);

  EXPECT_EQ(request.call.verb, Verb::Replace);
  EXPECT_TRUE(request.call.quiet);
  EXPECT_EQ(request.call.opaque, 0x01020304U);
  EXPECT_EQ(request.key, "key");
  EXPECT_EQ(request.cas, 0x1122334455667788U);
  EXPECT_EQ(request.flags, 0xfedcba98U);
  EXPECT_EQ(request.exptime, 100U);
  EXPECT_TRUE(request.has_value);
  EXPECT_EQ(request.value_size, 5U);
}

TEST(BinaryRequestParser, ReadsWhatACountingRequestHolds) {
  const std::string bytes = counting(Opcode::Decrement, "key", 7, 1ULL << 63U, 9).bytes();

  const Request request = request_of(bytes);

  EXPECT_EQ(request.call.verb, Verb::Decr);
  EXPECT_EQ(request.delta, 7U);
  EXPECT_EQ(request.initial, 1ULL << 63U);
  EXPECT_EQ(request.exptime, 9U);
  EXPECT_FALSE(request.has_value);
}

TEST(BinaryRequestParser, KnowsWhichFormsAreQuietAndWhichReturnTheKey) {
  struct Case {
    Opcode opcode;
    Verb verb;
    bool quiet, returns_key;
  };
  for (const Case& each :
       {Case{Opcode::Get, Verb::Get, false, false}, Case{Opcode::GetQ, Verb::Get, true, false},
        Case{Opcode::GetK, Verb::Get, false, true}, Case{Opcode::GetKQ, Verb::Get, true, true},
        Case{Opcode::Delete, Verb::Delete, false, false},
        Case{Opcode::DeleteQ, Verb::Delete, true, false}}) {
    const std::string bytes = bytes_of(each.opcode, "key");
    const Call call = request_of(bytes).call;
    EXPECT_EQ(call.opcode, static_cast<std::uint8_t>(each.opcode));
    EXPECT_EQ(call.verb, each.verb);
    EXPECT_EQ(call.quiet, each.quiet);
    EXPECT_EQ(call.returns_key, each.returns_key);
  }
}

TEST(BinaryRequestParser, RefusesAKeyOverTheLimitFromBothSidesOfIt) {
  EXPECT_EQ(request_of(bytes_of(Opcode::Get, std::string(250, 'k'))).call.verb, Verb::Get);

  const Refusal refusal = refusal_of(bytes_of(Opcode::Get, std::string(251, 'k')));

  EXPECT_EQ(refusal.status, Status::InvalidArguments);
  EXPECT_TRUE(refusal.close);
}

TEST(BinaryRequestParser, SwallowsAValueOverTheLimit) {
  const Limits limits{.value_max = ByteCount{10}};
  const std::string fits = storing(Opcode::Set, "key", std::string(10, 'x')).bytes();
  EXPECT_EQ(binary::parse_request(fits, limits).kind, Parsed::Kind::Request);

  const Refusal refusal =
      refusal_of(storing(Opcode::Set, "key", std::string(11, 'x')).bytes(), limits);

  EXPECT_EQ(refusal.status, Status::TooLarge);
  EXPECT_EQ(refusal.swallow, 11U);
  EXPECT_FALSE(refusal.close);
}

TEST(BinaryRequestParser, DropsTheValueOfAnUnknownCommandAndNoMore) {
  const BinaryRequest unknown{
      .opcode = static_cast<Opcode>(0x50), .extras = "ext", .key = "key", .value = "value"};

  const Parsed parsed = binary::parse_request(unknown.bytes(), Limits{});

  EXPECT_EQ(parsed.refusal.status, Status::UnknownCommand);
  EXPECT_EQ(parsed.consumed + parsed.refusal.swallow, unknown.bytes().size());
}

TEST(BinaryCommands, LimitsOfNumbersAreWrittenOut) {
  BinaryRequest all = counting(Opcode::Increment, std::string(250, 'k'), ~0ULL, ~0ULL, 0xfffffffe);
  all.cas = ~0ULL;

  EXPECT_EQ(
      command_of(all.bytes()),
      "ma " + std::string(250, 'k') +
          " D18446744073709551615 N2147483647 J18446744073709551615 C18446744073709551615 c v");
}

TEST(BinaryCommands, AnExptimeOfMoreThanThirtyOneBitsIsAsFarAsServersGo) {
  EXPECT_EQ(command_of(touching(Opcode::Touch, "k", 0x7fffffff).bytes()), "mg k T2147483647 f c");
  EXPECT_EQ(command_of(touching(Opcode::Touch, "k", 0x80000000).bytes()), "mg k T2147483647 f c");
  EXPECT_EQ(command_of(storing(Opcode::Set, "k", "", 0, 0xffffffff).bytes()),
            "ms k 0 T2147483647 F0 c");
}

TEST(BinaryCommands, KeysThatTextCannotCarryAreWrittenInBase64) {
  const auto written = [](const std::string& key) {
    return command_of(bytes_of(Opcode::Get, key));
  };

  // RFC 4648, section 10, with a blank for the b.
  EXPECT_EQ(written(" "), "mg IA== b f c v");
  EXPECT_EQ(written("f "), "mg ZiA= b f c v");
  EXPECT_EQ(written("fo "), "mg Zm8g b f c v");
  EXPECT_EQ(written("\x7f"), "mg fw== b f c v");
  EXPECT_EQ(written("\xc3\xa4"), "mg \xc3\xa4 f c v");
}

TEST(BinaryCommands, ABase64KeyHasTheLengthThatServersTake) {
  EXPECT_EQ(request_of(bytes_of(Opcode::Get, std::string(186, ' '))).key.size(), 186U);

  const Refusal refusal = refusal_of(storing(Opcode::Set, std::string(187, ' '), "value").bytes());

  EXPECT_EQ(refusal.status, Status::InvalidArguments);
  EXPECT_EQ(refusal.swallow, 5U);
  EXPECT_FALSE(refusal.close);
}

TEST(BinaryCommands, WhatChangesOnlyOnceIsNotSentTwice) {
  const auto twice = [](BinaryRequest request, std::uint64_t cas = 0) {
    request.cas = cas;
    const std::string bytes = request.bytes();
    return is_idempotent(request_of(bytes));
  };

  EXPECT_TRUE(twice({.opcode = Opcode::GetQ, .key = "k"}));
  EXPECT_TRUE(twice(touching(Opcode::Gat, "k", 1)));
  EXPECT_TRUE(twice(storing(Opcode::Set, "k", "v")));
  EXPECT_FALSE(twice(storing(Opcode::Set, "k", "v"), 5));
  EXPECT_FALSE(twice(storing(Opcode::Add, "k", "v")));
  EXPECT_FALSE(twice({.opcode = Opcode::Append, .key = "k", .value = "v"}));
  EXPECT_FALSE(twice(counting(Opcode::Increment, "k", 1)));
  EXPECT_TRUE(twice({.opcode = Opcode::Delete, .key = "k"}));
  EXPECT_FALSE(twice({.opcode = Opcode::Delete, .key = "k"}, 5));
}

}  // namespace
}  // namespace mcsteady::protocol::binary
