#include "support/memory_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <string>

namespace mcsteady::test {
namespace {

/// Keeps what happens; its room is small, so that a long arrival takes several receives.
struct Keeper final : net::Stream::Handler {
  std::span<char> room() override { return buffer; }
  void on_received(std::size_t count) override { received.append(buffer.data(), count); }
  void on_end_of_file() override { ended = true; }
  std::size_t pieces(std::span<iovec> out) override {
    if (output.empty()) return 0;
    out[0] = {output.data(), output.size()};
    return 1;
  }
  void on_sent(std::size_t count) override { output.erase(0, count); }
  void on_broken(net::Breakage breakage) override { broken = breakage; }

  std::array<char, 4> buffer{};
  std::string received, output;
  std::optional<net::Breakage> broken;
  bool ended = false;
};

TEST(MemoryStream, ReceivesUntilAReceiveComesBackShort) {
  Keeper keeper;
  MemoryStream stream(keeper);
  stream.push("0123456789");

  EXPECT_EQ(keeper.received, "0123456789");
  EXPECT_EQ(stream.receives(), 3U);
  EXPECT_EQ(stream.rooms(), (std::vector<std::size_t>{4, 4, 4}));
}

TEST(MemoryStream, ShowsNothingBeforeItIsLookedAt) {
  Keeper keeper;
  MemoryStream stream(keeper);
  stream.arrives("abc");
  EXPECT_EQ(keeper.received, "");
  EXPECT_EQ(stream.evidence().bytes_unread, 3U);
  stream.miss_polls(1);

  EXPECT_EQ(stream.look(), net::Stream::Found::Bytes);
  EXPECT_EQ(keeper.received, "abc");
  EXPECT_EQ(stream.polls_missed(), 1);
  EXPECT_EQ(stream.look(), net::Stream::Found::Nothing);
}

TEST(MemoryStream, TellsTheEndOnceAndBehindTheBytes) {
  Keeper keeper;
  MemoryStream stream(keeper);
  stream.arrives("ab");
  stream.ends();
  EXPECT_EQ(stream.look(), net::Stream::Found::Bytes);
  EXPECT_FALSE(keeper.ended);

  EXPECT_EQ(stream.look(), net::Stream::Found::EndOfFile);
  EXPECT_TRUE(keeper.ended);
  EXPECT_EQ(stream.look(), net::Stream::Found::EndOfFile);
}

TEST(MemoryStream, SendsOnlyWhenFlushedAndAsMuchAsTheTestAllows) {
  Keeper keeper;
  MemoryStream stream(keeper);
  keeper.output = "get a\r\n";
  EXPECT_EQ(stream.send_flushed(), 0U);
  stream.flush();
  EXPECT_EQ(stream.send_flushed(3), 3U);
  EXPECT_EQ(stream.take_sent(), "get");
  EXPECT_EQ(stream.send_flushed(), 4U);

  EXPECT_EQ(stream.sent(), " a\r\n");
  EXPECT_FALSE(stream.flush_asked());
}

TEST(MemoryStream, IsClosedOnceItBroke) {
  Keeper keeper;
  MemoryStream stream(keeper);
  stream.push_breakage({net::StreamError::Reset, ECONNRESET});
  stream.push("late");

  ASSERT_TRUE(keeper.broken);
  EXPECT_EQ(keeper.broken->error_number, ECONNRESET);
  EXPECT_TRUE(stream.closed());
  EXPECT_EQ(keeper.received, "");
}

}  // namespace
}  // namespace mcsteady::test
