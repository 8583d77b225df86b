#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/worker_fixture.h"
#include "support/binary_packets.h"

namespace mcsteady::test {

/// A worker whose client speaks the binary protocol.
class BinaryTest : public WorkerTest {
 protected:
  std::vector<BinaryReply> replies_of(std::string_view bytes) {
    const auto replies = read_replies(bytes);
    EXPECT_TRUE(replies.has_value()) << "bytes that are no reply: " << bytes;
    EXPECT_EQ(bytes, "");
    return replies.value_or(std::vector<BinaryReply>{});
  }
  std::vector<BinaryReply> ask_all(const std::string& requests) {
    if (client_ == nullptr) client_ = &connect();
    return replies_of(ask(*client_, requests));
  }
  /// The one reply to the request.
  BinaryReply ask_one(const BinaryRequest& request) {
    const auto replies = ask_all(request.bytes());
    EXPECT_EQ(replies.size(), 1U);
    if (replies.size() != 1) return {};
    EXPECT_EQ(replies[0].opcode, request.opcode);
    EXPECT_EQ(replies[0].opaque, request.opaque);
    return replies[0];
  }
  /// What comes back before the reply to a noop.
  std::vector<BinaryReply> ask_quietly(const std::string& requests) {
    auto replies = ask_all(requests + bytes_of(Opcode::Noop, 4711));
    EXPECT_FALSE(replies.empty());
    if (replies.empty()) return {};
    EXPECT_EQ(replies.back().opaque, 4711U);
    replies.pop_back();
    return replies;
  }
  void put(const std::string& key, const std::string& value, std::uint32_t flags = 0) {
    EXPECT_EQ(ask_one(storing(Opcode::Set, key, value, flags)).status, Status::Ok);
  }
  BinaryReply get(const std::string& key) { return ask_one({.opcode = Opcode::Get, .key = key}); }

  SimPeer* client_ = nullptr;  // connects with the first request
};

}  // namespace mcsteady::test
