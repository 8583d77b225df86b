#include "upstream/recovery_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace mcsteady::upstream {
namespace {

using Kind = RecoveryReader::Event::Kind;
using protocol::ReplyShape;

std::string value_reply(const std::string& key, const std::string& value) {
  return "VALUE " + key + " 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

/// A value in which every place has its own look, and protocol lines and NUL bytes are inside.
std::string telling_value(std::size_t size) {
  std::string value;
  value.reserve(size + 64);
  for (std::size_t i = 0; value.size() < size; ++i) {
    value += std::to_string(i) + std::string("\r\nEND\r\nVALUE x 0 3\r\n\0\xff\xfe", 23);
  }
  value.resize(size);
  return value;
}

/// A reader, and a socket that holds what the peer has sent: bytes move as a stream moves them.
class RecoveryReaderTest : public testing::Test {
 protected:
  void peer_sends(const std::string& bytes) { socket_ += bytes; }

  /// One receive of at most `most` bytes.
  std::size_t receive(std::size_t most = SIZE_MAX) {
    const std::span<char> room = reader_->room();
    rooms_.push_back(room.size());
    const std::size_t count = std::min({room.size(), socket_.size(), most});
    std::memcpy(room.data(), socket_.data(), count);
    socket_.erase(0, count);
    if (count > 0) reader_->received(count);
    return count;
  }
  /// Everything there is to tell now, as bytes; "!cause" for a refusal, "?" for an error, "~" for a
  /// value that was dropped.
  void take_events(bool wanted = true) {
    while (true) {
      auto event = reader_->next(shape_, wanted);
      if (!event) {
        events_.emplace_back("?");
        return;
      }
      if (event->kind == Kind::NeedMore) return;
      note(std::move(*event));
    }
  }
  void note(RecoveryReader::Event&& event) {
    if (event.kind == Kind::Refused) {
      events_.push_back(std::string("!") + to_string(event.failure));
    } else if (event.kind == Kind::Skipped) {
      events_.emplace_back("~");
    } else {
      events_.emplace_back(event.item.wire);
    }
    if (event.item.large) blocks_kept_.push_back(std::move(event.item.large));
  }
  /// Receives, up to `most` bytes at a time, and takes what comes of it, until all is received.
  void read_all(bool wanted = true, std::size_t most = SIZE_MAX) {
    while (!socket_.empty()) {
      receive(most);
      take_events(wanted);
      reader_->release_idle();
    }
  }
  void make_reader(ByteCount value_max) { reader_.emplace(blocks_, value_max); }

  net::MemoryBudget budget_{MiB(32)};
  net::BlockPool blocks_{budget_};
  std::optional<RecoveryReader> reader_{std::in_place, blocks_, MiB(8)};
  ReplyShape shape_ = ReplyShape::Items;
  std::string socket_;
  std::vector<std::string> events_;
  std::vector<std::size_t> rooms_;
  std::vector<net::Block> blocks_kept_;
};

TEST_F(RecoveryReaderTest, FindsTheSameEventsWhereverTheBytesAreCut) {
  const std::vector<std::string> replies{value_reply("a", "1"), value_reply("b", ""),
                                         value_reply("c", telling_value(300)), "END\r\n"};
  std::string bytes;
  for (const std::string& reply : replies) bytes += reply;

  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    SCOPED_TRACE(cut);
    events_.clear();
    peer_sends(bytes.substr(0, cut));
    read_all();
    peer_sends(bytes.substr(cut));
    read_all();

    EXPECT_EQ(events_, replies);
    EXPECT_TRUE(reader_->empty());
  }
}

TEST_F(RecoveryReaderTest, FindsTheSameEventsWhenBytesComeOneByOne) {
  const std::vector<std::string> replies{value_reply("a", telling_value(9000)), "END\r\n"};
  peer_sends(replies[0] + replies[1]);

  read_all(true, 1);

  EXPECT_EQ(events_, replies);
}

TEST_F(RecoveryReaderTest, ReadsValuesAndLinesAcrossEveryBorderOfTheBuffer) {
  for (const std::size_t border : {RecoveryReader::kLargeMin, RecoveryReader::kBufferSize,
                                   2 * RecoveryReader::kBufferSize, std::size_t{65536}}) {
    for (std::size_t size = border - 48; size <= border + 4; ++size) {
      SCOPED_TRACE(size);
      const std::vector<std::string> replies{value_reply("a", telling_value(size)),
                                             value_reply("b", "next"), "END\r\n"};
      events_.clear();
      peer_sends(replies[0] + replies[1] + replies[2]);

      read_all();

      EXPECT_EQ(events_, replies);
      EXPECT_TRUE(reader_->empty());
    }
  }
}

TEST_F(RecoveryReaderTest, ReadsALineAcrossTheEndOfTheBuffer) {
  for (std::size_t before = RecoveryReader::kBufferSize - 80; before < RecoveryReader::kBufferSize;
       ++before) {
    SCOPED_TRACE(before);
    const std::string filler = value_reply("f", std::string(before - 30, 'f'));
    const std::vector<std::string> replies{filler, value_reply("key", "value"), "END\r\n"};
    events_.clear();
    peer_sends(replies[0] + replies[1] + replies[2]);

    read_all();

    EXPECT_EQ(events_, replies);
  }
}

TEST_F(RecoveryReaderTest, TakesSeveralRepliesFromOneRead) {
  std::vector<std::string> replies;
  for (int i = 0; i < 50; ++i) replies.push_back(value_reply("k" + std::to_string(i), "v"));
  for (const std::string& reply : replies) peer_sends(reply);

  read_all();

  EXPECT_EQ(events_, replies);
  EXPECT_EQ(rooms_.size(), 1U);
}

TEST_F(RecoveryReaderTest, ReadsWhatIsInTheBufferAtMostSixteenKibibytesAtATime) {
  peer_sends(std::string("END\r\n"));

  read_all();

  EXPECT_EQ(rooms_, std::vector<std::size_t>{RecoveryReader::kBufferSize});
}

TEST_F(RecoveryReaderTest, NeverAsksForMoreThanALargeValueOwes) {
  const std::string reply = value_reply("a", telling_value(500'000));
  std::size_t come = 0;
  peer_sends(reply + "END\r\n");
  while (come < reply.size()) {
    const std::size_t owed = reply.size() - come;
    come += receive(40'000);
    if (come > RecoveryReader::kBufferSize) {
      EXPECT_EQ(rooms_.back(), owed);
    }
    take_events();
  }

  EXPECT_EQ(come, reply.size());
  EXPECT_EQ(socket_, "END\r\n");
  EXPECT_TRUE(reader_->empty());
  EXPECT_EQ(reader_->unread(), 0U);
}

TEST_F(RecoveryReaderTest, ReceivesALargeValueWhereItStays) {
  const std::string reply = value_reply("a", telling_value(100'000));
  peer_sends(reply);
  receive(2000);
  take_events();

  const char* place = reader_->room().data();
  read_all();

  ASSERT_EQ(blocks_kept_.size(), 1U);
  EXPECT_EQ(blocks_kept_[0].data(), place - 2000);
  EXPECT_EQ(std::string(blocks_kept_[0].data(), reply.size()), reply);
}

TEST_F(RecoveryReaderTest, KeepsTheKeyOfALargeValueInItsBlock) {
  peer_sends(value_reply("some_key", telling_value(100'000)));
  receive();
  take_events();
  receive();

  auto event = reader_->next(shape_, true);

  ASSERT_TRUE(event);
  ASSERT_EQ(event->kind, Kind::Item);
  EXPECT_EQ(event->item.line.key, "some_key");
  EXPECT_EQ(event->item.line.value_size, 100'000U);
  EXPECT_FALSE(event->item.line.last);
  EXPECT_EQ(event->item.line.key.data(), event->item.large.data() + 6);
}

TEST_F(RecoveryReaderTest, ReadsALargeValueInFewReads) {
  const std::string reply = value_reply("a", telling_value(40 * 8192 + 3));
  const std::vector<std::string> expected{reply, value_reply("b", "next"), "END\r\n"};
  peer_sends(reply.substr(0, reply.size() / 2));
  read_all();
  peer_sends(reply.substr(reply.size() / 2) + expected[1] + expected[2]);

  read_all();

  EXPECT_EQ(events_, expected);
  EXPECT_LT(rooms_.size(), 20U);
  EXPECT_LE(rooms_.size(), 4U);
}

TEST_F(RecoveryReaderTest, HoldsNothingBeforeItsFirstUse) {
  EXPECT_EQ(blocks_.in_use(), 0U);
  EXPECT_TRUE(reader_->empty());
}

TEST_F(RecoveryReaderTest, GivesTheBufferBackWhenItIsEmpty) {
  peer_sends("END\r\n");

  read_all();

  EXPECT_EQ(blocks_.in_use(), 0U);
}

TEST_F(RecoveryReaderTest, KeepsTheBufferWhileSomethingIsInIt) {
  peer_sends("EN");
  read_all();
  EXPECT_EQ(blocks_.in_use(), RecoveryReader::kBufferSize);
  EXPECT_EQ(reader_->unread(), 2U);

  peer_sends("D\r\n");
  read_all();

  EXPECT_EQ(events_, std::vector<std::string>{"END\r\n"});
  EXPECT_EQ(blocks_.in_use(), 0U);
}

TEST_F(RecoveryReaderTest, HoldsALargeValueAndNothingElseWhileItComes) {
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{2} << 20}) {
    const std::string reply = value_reply("a", telling_value(size));
    peer_sends(reply);

    receive();
    take_events();
    reader_->release_idle();

    EXPECT_EQ(blocks_.in_use(), reply.size());
    read_all();
    blocks_kept_.clear();
    EXPECT_EQ(blocks_.in_use(), 0U);
  }
}

TEST_F(RecoveryReaderTest, NeverTellsOfAValueThatWasCutShort) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{9000}, std::size_t{100'000}}) {
    const std::string reply = value_reply("a", telling_value(size));
    for (const std::size_t missing : {std::size_t{1}, std::size_t{2}, std::size_t{3}, size}) {
      SCOPED_TRACE(testing::Message() << size << " less " << missing);
      make_reader(MiB(8));
      events_.clear();
      peer_sends(reply.substr(0, reply.size() - missing));

      read_all();

      EXPECT_TRUE(events_.empty());
      EXPECT_FALSE(reader_->empty());
      EXPECT_EQ(reader_->unread(), reply.size() - missing);
    }
  }
}

TEST_F(RecoveryReaderTest, DropsALargeValueNobodyWantsWithoutABlock) {
  peer_sends(value_reply("a", telling_value(2'000'000)) + "END\r\n");
  std::uint64_t most = 0;

  while (!socket_.empty()) {
    receive();
    take_events(false);
    most = std::max(most, blocks_.in_use());
    reader_->release_idle();
  }

  EXPECT_EQ(events_, (std::vector<std::string>{"~", "END\r\n"}));
  EXPECT_EQ(most, RecoveryReader::kBusyBufferSize);
  EXPECT_EQ(blocks_.in_use(), 0U);
}

TEST_F(RecoveryReaderTest, TakesMoreAtOnceWhileSmallRepliesComeFasterThanThat) {
  std::vector<std::string> replies;
  for (int i = 0; i < 40; ++i)
    replies.push_back(value_reply(std::to_string(i), telling_value(4096)));
  replies.emplace_back("END\r\n");
  for (const std::string& reply : replies) peer_sends(reply);
  read_all();

  EXPECT_EQ(events_, replies);
  EXPECT_LE(rooms_.size(), 5U);  // 160 KB in reads of 16 KiB would be ten

  peer_sends("END\r\n");
  read_all();
  EXPECT_EQ(reader_->room().size(), RecoveryReader::kBufferSize);  // no longer than it pays
}

TEST_F(RecoveryReaderTest, ALargeValueInPlaceMakesNoLargerBuffer) {
  for (int i = 0; i < 3; ++i) peer_sends(value_reply("a", telling_value(65536)));
  read_all();

  EXPECT_LE(*std::ranges::max_element(rooms_), 65536U + 100);
  EXPECT_EQ(std::ranges::count(rooms_, RecoveryReader::kBusyBufferSize), 0);
}

TEST_F(RecoveryReaderTest, ReceivesALargeValueInOneReadWhereOneHasComeBefore) {
  const std::string first = value_reply("a", telling_value(100'000));
  const std::string second = value_reply("b", telling_value(90'000));
  peer_sends(first + "END\r\n");
  read_all();
  rooms_.clear();
  peer_sends(second + "END\r\n" + value_reply("c", "small"));

  const char* place = reader_->room().data();
  receive();
  take_events();

  EXPECT_EQ(rooms_.size(), 1U);
  EXPECT_EQ(events_, (std::vector<std::string>{first, "END\r\n", second, "END\r\n",
                                               value_reply("c", "small")}));
  ASSERT_EQ(blocks_kept_.size(), 2U);
  EXPECT_EQ(blocks_kept_[1].data(), place);
}

TEST_F(RecoveryReaderTest, GoesOnInTheBufferThatWasMadeForALargeValue) {
  const std::string reply = value_reply("a", telling_value(100'000));
  peer_sends(reply + "END\r\n");
  read_all();
  peer_sends(reply + "END\r\n");

  const char* place = reader_->room().data();
  receive(60'000);
  take_events();

  EXPECT_EQ(reader_->room().data(), place + 60'000);
  EXPECT_EQ(reader_->room().size(), reply.size() - 60'000);  // and not what is behind it
  read_all();
  EXPECT_EQ(events_, (std::vector<std::string>{reply, "END\r\n", reply, "END\r\n"}));
}

TEST_F(RecoveryReaderTest, ReadsManyLargeValuesInARowInAReadEach) {
  std::string replies;
  for (int i = 0; i < 20; ++i) replies += value_reply("a", telling_value(65536));
  peer_sends(replies + "END\r\n");

  read_all();

  EXPECT_EQ(events_.size(), 21U);
  EXPECT_LE(rooms_.size(), 23U);
}

TEST_F(RecoveryReaderTest, ExpectsNoLargeValueOnceSmallOnesCome) {
  peer_sends(value_reply("a", telling_value(100'000)) + "END\r\n");
  read_all();
  for (int i = 0; i < 4; ++i) {
    peer_sends("END\r\n");
    read_all();
  }

  EXPECT_EQ(reader_->room().size(), RecoveryReader::kBufferSize);
}

TEST_F(RecoveryReaderTest, DoesNotGiveAMuchLargerBlockToASmallerValue) {
  peer_sends(value_reply("a", telling_value(100'000)) + "END\r\n");
  read_all();
  blocks_kept_.clear();
  peer_sends(value_reply("b", telling_value(30'000)) + "END\r\n");

  read_all();

  EXPECT_TRUE(blocks_kept_.empty());
  EXPECT_EQ(events_[2], value_reply("b", telling_value(30'000)));
  EXPECT_EQ(blocks_.in_use(), 0U);
}

TEST_F(RecoveryReaderTest, ExpectsNoneOfTheLargest) {
  peer_sends(value_reply("a", telling_value(3'000'000)) + "END\r\n");
  read_all();

  EXPECT_EQ(reader_->room().size(), RecoveryReader::kBufferSize);
}

TEST_F(RecoveryReaderTest, ReadsOnWithASmallBufferWhereThereIsNoMemoryForALargeOne) {
  const std::string reply = value_reply("a", telling_value(100'000));
  peer_sends(reply + "END\r\n");
  read_all();
  const std::size_t all = budget_.ceiling() - budget_.used();
  ASSERT_TRUE(budget_.take(all));

  EXPECT_EQ(reader_->room().size(), RecoveryReader::kBufferSize);
  budget_.give_back(all);
}

TEST_F(RecoveryReaderTest, TellsHowManyBytesItDropped) {
  const std::string reply = value_reply("a", telling_value(200'000));
  peer_sends(reply);
  std::size_t dropped = 0;

  while (!socket_.empty()) {
    receive();
    auto event = reader_->next(shape_, false);
    ASSERT_TRUE(event);
    dropped += event->skipped;
  }

  EXPECT_EQ(dropped, reply.size());
}

TEST_F(RecoveryReaderTest, NeverReadsPastAValueThatItDrops) {
  const std::string reply = value_reply("a", telling_value(100'000));
  peer_sends(reply);
  std::size_t come = receive();
  take_events(false);

  while (come < reply.size()) {
    const std::size_t owed = reply.size() - come;
    EXPECT_LE(reader_->room().size(), owed);
    come += receive();
    take_events(false);
  }

  EXPECT_EQ(events_, std::vector<std::string>{"~"});
}

TEST_F(RecoveryReaderTest, GoesOnInItsBlockWhereAValueIsGivenUpHalfWay) {
  const std::string reply = value_reply("a", telling_value(100'000));
  peer_sends(reply + "END\r\n");
  receive();
  take_events(true);

  read_all(false);

  EXPECT_EQ(events_, (std::vector<std::string>{reply, "END\r\n"}));
}

TEST_F(RecoveryReaderTest, RefusesAValueThatIsTooLargeAndGetsItsNeighboursRight) {
  make_reader(ByteCount{1000});
  for (const std::size_t size : {std::size_t{1001}, std::size_t{20'000}, std::size_t{300'000}}) {
    SCOPED_TRACE(size);
    events_.clear();
    const std::string before = value_reply("a", telling_value(1000));
    const std::string behind = value_reply("c", telling_value(7));
    peer_sends(before + value_reply("b", telling_value(size)) + behind + "END\r\n");

    read_all();

    EXPECT_EQ(events_,
              (std::vector<std::string>{before, "!value_too_large", "~", behind, "END\r\n"}));
  }
}

TEST_F(RecoveryReaderTest, RefusesAValueForWhichThereIsNoMemory) {
  net::Block hog = blocks_.allocate(MiB(32).value - 100'000);
  ASSERT_TRUE(hog);
  const std::string before = value_reply("a", "1");
  const std::string behind = value_reply("c", "3");
  peer_sends(before + value_reply("b", telling_value(200'000)) + behind + "END\r\n");

  read_all();

  EXPECT_EQ(events_, (std::vector<std::string>{before, "!no_memory", "~", behind, "END\r\n"}));
}

TEST_F(RecoveryReaderTest, SaysThatASkippedMetaValueWasTheWholeReply) {
  shape_ = ReplyShape::Meta;
  peer_sends("VA 100000 s100000\r\n" + telling_value(100'000) + "\r\n");
  receive();
  auto event = reader_->next(shape_, false);
  while (event && event->kind == Kind::NeedMore && !socket_.empty()) {
    receive();
    event = reader_->next(shape_, false);
  }

  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::Skipped);
  EXPECT_TRUE(event->item.line.last);
}

TEST_F(RecoveryReaderTest, SaysThatASkippedClassicValueWasNotTheWholeReply) {
  make_reader(ByteCount{10});
  peer_sends(value_reply("a", "more than ten bytes"));
  receive();
  ASSERT_EQ(reader_->next(shape_, true)->kind, Kind::Refused);

  const auto event = reader_->next(shape_, true);

  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, Kind::Skipped);
  EXPECT_FALSE(event->item.line.last);
}

TEST_F(RecoveryReaderTest, CallsAValueWithoutItsLineEndAnError) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{9000}, std::size_t{100'000}}) {
    for (const char* end : {"xx", "\rx", "x\n", "\n\r"}) {
      SCOPED_TRACE(testing::Message() << size << end);
      make_reader(MiB(8));
      events_.clear();
      std::string reply = value_reply("a", telling_value(size));
      reply.replace(reply.size() - 2, 2, end);
      peer_sends(reply);

      read_all();

      EXPECT_EQ(events_, std::vector<std::string>{"?"});
    }
  }
}

TEST_F(RecoveryReaderTest, CallsALengthThatNoValueHasAnError) {
  peer_sends("VALUE a 0 2000000000\r\n");

  read_all();

  EXPECT_EQ(events_, std::vector<std::string>{"?"});
}

TEST_F(RecoveryReaderTest, KeepsPartlyReadBytesHoweverLongTheRestTakes) {
  const std::string reply = value_reply("a", telling_value(20'000));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{30}, std::size_t{8000}}) {
    SCOPED_TRACE(piece);
    events_.clear();
    std::size_t sent = 0;
    while (sent < reply.size()) {
      peer_sends(reply.substr(sent, piece));
      sent += piece;
      read_all();
      take_events();  // a wait ran out: somebody looks again, and nothing is lost by that
      reader_->room();
      take_events();
      reader_->release_idle();
    }
    EXPECT_EQ(events_, std::vector<std::string>{reply});
  }
}

TEST_F(RecoveryReaderTest, TakesOnlyWhatIsOwedOnceMostOfAValueIsInTheBuffer) {
  // Half a value in the buffer, less than 8 KiB of it to come: the rest lands behind it.
  const std::string reply = value_reply("a", telling_value(12'000));
  peer_sends(reply.substr(0, 6000));
  read_all();
  peer_sends(reply.substr(6000) + "END\r\n");

  read_all();

  EXPECT_EQ(events_, (std::vector<std::string>{reply, "END\r\n"}));
  EXPECT_TRUE(blocks_kept_.empty());
  EXPECT_EQ(rooms_.size(), 2U);
}

}  // namespace
}  // namespace mcsteady::upstream
