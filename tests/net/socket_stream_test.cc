#include "net/socket_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net/loop_fixture.h"
#include "net/recording_handler.h"

namespace mcsteady::net {
namespace {

/// A stream on one end of a socket pair; the test is the peer.
class SocketStreamTest : public LoopTest {
 protected:
  SocketStreamTest() {
    Pair pair = socket_pair();
    peer_ = std::move(pair.theirs);
    stream_ = loop_->adopt(std::move(pair.ours), handler_);
  }
  void peer_sends(const std::string& bytes) {
    ASSERT_EQ(send(peer_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  std::string peer_receives() {
    std::string bytes(1 << 20, '\0');
    const ssize_t count = recv(peer_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }

  RecordingHandler handler_;
  UniqueFd peer_;
  std::unique_ptr<Stream> stream_;
};
FOR_EACH_METHOD(SocketStreamTest);

TEST_P(SocketStreamTest, SpendsOneReceiveOnAMessage) {
  peer_sends(std::string(100, 'x'));

  run_turn();

  EXPECT_EQ(handler_.received, std::string(100, 'x'));
  EXPECT_EQ(CountedCalls::receives, 1);
}

TEST_P(SocketStreamTest, ReceivesAgainWhereTheRoomWasFilled) {
  handler_.room_size = 64;
  peer_sends(std::string(100, 'x'));

  run_turn();

  EXPECT_EQ(handler_.receives, (std::vector<std::size_t>{64, 36}));
  EXPECT_EQ(CountedCalls::receives, 2);
}

TEST_P(SocketStreamTest, TakesAShortReceiveForTheEndOfWhatIsThere) {
  CountedCalls::receive_max = 10;
  peer_sends(std::string(100, 'x'));

  run_turn();

  EXPECT_EQ(CountedCalls::receives, 1);
  run_until([&] { return handler_.received.size() == 100; });
}

TEST_P(SocketStreamTest, GivesWayToOthersAfterABudgetOfReceives) {
  handler_.room_size = 10;
  peer_sends(std::string(1000, 'x'));

  run_turn();

  EXPECT_EQ(CountedCalls::receives, 16);
  run_until([&] { return handler_.received.size() == 1000; });
}

TEST_P(SocketStreamTest, ReceivesAgainWhenASignalInterruptedIt) {
  CountedCalls::interrupts = 2;
  peer_sends("hello");

  run_turn();

  EXPECT_EQ(handler_.received, "hello");
  EXPECT_EQ(CountedCalls::receives, 3);
}

TEST_P(SocketStreamTest, LeavesBytesInTheKernelWhileItDoesNotReceive) {
  stream_->set_receiving(false);
  peer_sends("hello");
  run_turn();
  EXPECT_EQ(CountedCalls::receives, 0);
  EXPECT_EQ(stream_->evidence().bytes_unread, 5U);

  stream_->set_receiving(true);
  run_turn();

  EXPECT_EQ(handler_.received, "hello");
}

TEST_P(SocketStreamTest, StopsReceivingInTheMiddleOfATurn) {
  handler_.room_size = 10;
  handler_.in_callback = [&](const std::string& name) {
    if (name == "received") stream_->set_receiving(false);
  };
  peer_sends(std::string(100, 'x'));

  run_turn();
  run_turn();

  EXPECT_EQ(handler_.received.size(), 10U);
}

TEST_P(SocketStreamTest, SendsWhatManyFlushesOfOneTurnAskedForInOneCall) {
  for (const char* part : {"get a\r\n", "get b\r\n", "get c\r\n"}) {
    handler_.output += part;
    stream_->flush();
  }
  EXPECT_EQ(CountedCalls::sends, 0);

  run_turn();

  EXPECT_EQ(peer_receives(), "get a\r\nget b\r\nget c\r\n");
  EXPECT_EQ(CountedCalls::sends, 1);
}

TEST_P(SocketStreamTest, SendsInTheTurnInWhichItWasAsked) {
  handler_.in_callback = [&](const std::string& name) {
    if (name != "received") return;
    handler_.output = "pong";
    stream_->flush();
  };
  peer_sends("ping");

  run_turn();

  EXPECT_EQ(peer_receives(), "pong");
}

TEST_P(SocketStreamTest, SendsLaterInATurnThatBringsNothing) {
  handler_.output = "pong";
  stream_->flush_later();
  peer_sends("ping");

  run_turn();
  EXPECT_EQ(CountedCalls::sends, 0);
  run_turn();

  EXPECT_EQ(peer_receives(), "pong");
  EXPECT_EQ(CountedCalls::sends, 1);
}

TEST_P(SocketStreamTest, SendsLaterAfterEightTurnsHoweverMuchComes) {
  handler_.output = "pong";
  stream_->flush_later();
  for (int turn = 1; turn < 8; ++turn) {
    peer_sends("ping");
    run_turn();
    ASSERT_EQ(CountedCalls::sends, 0) << turn;
  }

  peer_sends("ping");
  run_turn();

  EXPECT_EQ(peer_receives(), "pong");
}

TEST_P(SocketStreamTest, DoesNotWaitWithWhatIsToBeSentNow) {
  handler_.output = "po";
  stream_->flush_later();
  handler_.output += "ng";
  stream_->flush();
  peer_sends("ping");

  run_turn();

  EXPECT_EQ(peer_receives(), "pong");
  EXPECT_EQ(CountedCalls::sends, 1);
}

TEST_P(SocketStreamTest, AsksForMoreWhereAllPiecesWereFilledAndTaken) {
  handler_.piece_size = 10;
  handler_.output = std::string(2000, 'x');
  stream_->flush();

  run_turn();

  EXPECT_EQ(handler_.sent, (std::vector<std::size_t>{640, 640, 640, 80}));
}

TEST_P(SocketStreamTest, MakesNoCallWhereThereIsNothingToSend) {
  stream_->flush();

  run_turn();

  EXPECT_EQ(CountedCalls::sends, 0);
}

TEST_P(SocketStreamTest, SendsAgainWhenASignalInterruptedIt) {
  CountedCalls::interrupts = 2;
  handler_.output = "hello";
  stream_->flush();

  run_turn();

  EXPECT_EQ(peer_receives(), "hello");
}

TEST_P(SocketStreamTest, GetsEverythingThroughAFullSocketInOrder) {
  std::string all;
  for (int i = 0; all.size() < 3000000; ++i) all += std::to_string(i) + " ";
  handler_.output = all;
  handler_.piece_size = 100000;
  stream_->flush();
  std::string arrived;

  run_until([&] {
    arrived += peer_receives();
    return arrived.size() >= all.size();
  });

  EXPECT_EQ(arrived, all);
  EXPECT_GT(handler_.sent.size(), 2U);
}

TEST_P(SocketStreamTest, WaitsForRoomInTheSocketWithoutTrying) {
  handler_.output = std::string(3000000, 'x');
  stream_->flush();
  run_turn();
  const int sends = CountedCalls::sends;

  for (int i = 0; i < 10; ++i) {
    stream_->flush();
    run_turn();
  }

  EXPECT_EQ(CountedCalls::sends, sends);
}

TEST_P(SocketStreamTest, KnowsWhatTheKernelStillHoldsBack) {
  handler_.output = "12345678";
  stream_->flush();
  run_turn();

  EXPECT_GE(stream_->evidence().bytes_unsent, 8U);
  EXPECT_FALSE(stream_->evidence().tcp);
}

TEST_P(SocketStreamTest, ClosesTheConnectionForItsPeer) {
  stream_->close();
  stream_->close();

  char byte = 0;
  EXPECT_EQ(recv(peer_.get(), &byte, 1, 0), 0);
  EXPECT_EQ(stream_->evidence().bytes_unread, 0U);
}

TEST_P(SocketStreamTest, TellsNothingOnceItIsClosed) {
  peer_sends("hello");
  handler_.output = "bye";
  stream_->flush();
  stream_->close();

  run_turn();
  stream_->set_receiving(true);
  stream_->flush();
  run_turn();

  EXPECT_TRUE(handler_.calls.empty());
}

TEST_P(SocketStreamTest, MayBeClosedInAnyOfItsCallbacks) {
  for (const std::string last : {"room", "received", "end of file", "pieces", "sent", "broken"}) {
    SCOPED_TRACE(last);
    Pair pair = socket_pair();
    RecordingHandler handler;
    const auto stream = loop_->adopt(std::move(pair.ours), handler);
    handler.room_size = 3;
    handler.piece_size = 1;
    handler.output = std::string(100, 'x');
    handler.in_callback = [&](const std::string& name) {
      if (name == last) stream->close();
    };
    send(pair.theirs.get(), "hello", 5, 0);
    stream->flush();
    if (last == "pieces" || last == "sent") {
      run_turn();
    } else {
      pair.theirs.reset();
      run_until([&] { return handler.was_called(last); });
    }
    run_turn();

    EXPECT_EQ(handler.calls.back(), last);
    EXPECT_EQ(std::ranges::count(handler.calls, last), 1);
  }
}

TEST_P(SocketStreamTest, MayBeClosedFromAnotherStreamsCallback) {
  Pair pair = socket_pair();
  RecordingHandler other;
  const auto other_stream = loop_->adopt(std::move(pair.ours), other);
  int turns = 0;
  const auto close_both = [&](const std::string&) {
    ++turns;
    stream_->close();
    other_stream->close();
  };
  handler_.in_callback = close_both;
  other.in_callback = close_both;
  peer_sends("x");
  send(pair.theirs.get(), "x", 1, 0);

  run_turn();

  EXPECT_EQ(turns, 1);
}

}  // namespace
}  // namespace mcsteady::net
