#include <gtest/gtest.h>

#include <string>

#include "net/loop_fixture.h"
#include "net/recording_handler.h"
#include "net/socket_stream.h"

namespace mcsteady::net {
namespace {

/// Looks at a socket while the loop does not run.
class SocketStreamLookTest : public LoopTest {
 protected:
  SocketStreamLookTest() {
    Pair pair = socket_pair();
    peer_ = std::move(pair.theirs);
    stream_ = loop_->adopt(std::move(pair.ours), handler_);
  }
  void peer_sends(const std::string& bytes) {
    ASSERT_EQ(send(peer_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }

  RecordingHandler handler_;
  UniqueFd peer_;
  std::unique_ptr<Stream> stream_;
};
FOR_EACH_METHOD(SocketStreamLookTest);

TEST_P(SocketStreamLookTest, ReportsBytesBeforeItReturns) {
  peer_sends("hello");

  EXPECT_EQ(stream_->look(), Stream::Found::Bytes);
  EXPECT_EQ(handler_.received, "hello");
  EXPECT_EQ(CountedCalls::receives, 1);
}

TEST_P(SocketStreamLookTest, FindsNothingWhereNothingIs) {
  EXPECT_EQ(stream_->look(), Stream::Found::Nothing);
  EXPECT_FALSE(handler_.was_called("received"));
}

TEST_P(SocketStreamLookTest, ReceivesAllTheSameWhereThePollMissesWhatIsThere) {
  peer_sends("hello");
  CountedCalls::polls_are_blind = true;

  EXPECT_EQ(stream_->look(), Stream::Found::Bytes);
  EXPECT_EQ(handler_.received, "hello");
  EXPECT_EQ(CountedCalls::polls, 1);
  EXPECT_EQ(CountedCalls::receives, 1);
}

TEST_P(SocketStreamLookTest, ReceivesUntilAReceiveComesBackShort) {
  handler_.room_size = 10;
  peer_sends(std::string(25, 'x'));

  EXPECT_EQ(stream_->look(), Stream::Found::Bytes);
  EXPECT_EQ(handler_.received.size(), 25U);
  EXPECT_EQ(CountedCalls::receives, 3);
}

TEST_P(SocketStreamLookTest, LeavesNothingForTheLoopToFindAgain) {
  peer_sends("hello");
  stream_->look();

  run_turn();

  EXPECT_EQ(handler_.received, "hello");
  EXPECT_EQ(CountedCalls::receives, 1);
}

TEST_P(SocketStreamLookTest, FindsTheEndOfTheFileOnceItHasReportedWhatCameBefore) {
  peer_sends("bye");
  peer_.reset();

  EXPECT_EQ(stream_->look(), Stream::Found::Bytes);
  EXPECT_EQ(stream_->look(), Stream::Found::EndOfFile);
  EXPECT_EQ(stream_->look(), Stream::Found::EndOfFile);

  EXPECT_EQ(handler_.received, "bye");
  EXPECT_EQ(std::ranges::count(handler_.calls, "end of file"), 1);
}

TEST_P(SocketStreamLookTest, FindsAClosedStreamBroken) {
  stream_->close();

  EXPECT_EQ(stream_->look(), Stream::Found::Broken);
  EXPECT_TRUE(handler_.calls.empty());
}

TEST_P(SocketStreamLookTest, MayBeClosedInTheMiddle) {
  handler_.room_size = 1;
  handler_.in_callback = [&](const std::string& name) {
    if (name == "received") stream_->close();
  };
  peer_sends("hello");

  EXPECT_EQ(stream_->look(), Stream::Found::Bytes);
  EXPECT_EQ(handler_.received, "h");
}

TEST_P(SocketStreamLookTest, TakesNothingWhileTheStreamDoesNotReceive) {
  stream_->set_receiving(false);
  peer_sends("hello");

  EXPECT_EQ(stream_->look(), Stream::Found::Nothing);
  EXPECT_EQ(handler_.received, "");
}

}  // namespace
}  // namespace mcsteady::net
