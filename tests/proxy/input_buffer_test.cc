#include "proxy/input_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace mcsteady::proxy {
namespace {

class InputBufferTest : public testing::Test {
 protected:
  void receive(std::string_view bytes) {
    ASSERT_LE(bytes.size(), input.room().size());
    std::memcpy(input.room().data(), bytes.data(), bytes.size());
    input.received(bytes.size());
  }

  net::MemoryBudget budget{KiB(200)};
  net::BlockPool blocks{budget};
  InputBuffer input{blocks};
};

TEST_F(InputBufferTest, HoldsNoMemoryUntilSomethingIsToCome) {
  EXPECT_TRUE(input.empty());
  EXPECT_EQ(blocks.in_use(), 0U);
  EXPECT_EQ(input.room().size(), InputBuffer::kSize);

  EXPECT_EQ(blocks.in_use(), InputBuffer::kSize);
}

TEST_F(InputBufferTest, ShowsWhatHasComeAndIsNotConsumed) {
  receive("get a\r\nget ");
  input.consume(7);
  receive("b\r\n");

  EXPECT_EQ(input.view(), "get b\r\n");
}

TEST_F(InputBufferTest, MovesARestToTheFrontWhenLittleRoomIsLeft) {
  receive(std::string(InputBuffer::kSize - 3, 'x') + "get");
  input.consume(InputBuffer::kSize - 3);

  EXPECT_EQ(input.room().size(), InputBuffer::kSize - 3);
  EXPECT_EQ(input.view(), "get");
}

TEST_F(InputBufferTest, LeavesARestInPlaceWhileThereIsMuchRoom) {
  receive(std::string(100, 'x') + "get");
  input.consume(100);
  const char* const before = input.view().data();

  EXPECT_EQ(input.room().size(), InputBuffer::kSize - 103);
  EXPECT_EQ(input.view().data(), before);
}

TEST_F(InputBufferTest, GrowsForALineThatFillsIt) {
  receive(std::string(InputBuffer::kSize, 'k'));
  EXPECT_TRUE(input.make_room());

  EXPECT_GE(input.room().size(), InputBuffer::kSize);
  EXPECT_EQ(input.view(), std::string(InputBuffer::kSize, 'k'));
}

TEST_F(InputBufferTest, DoesNotGrowWhileThereIsRoom) {
  receive("get a");
  EXPECT_TRUE(input.make_room());

  EXPECT_EQ(blocks.in_use(), InputBuffer::kSize);
}

TEST_F(InputBufferTest, SaysWhenThereIsNoMemoryToGrow) {
  budget.take(KiB(180).value);
  receive(std::string(InputBuffer::kSize, 'k'));

  EXPECT_FALSE(input.make_room());
  EXPECT_EQ(input.view().size(), InputBuffer::kSize);
}

TEST_F(InputBufferTest, CutsOffWhatIsBehindALine) {
  receive("set a 0 0 20000\r\nxxxx");
  input.cut(17);

  EXPECT_EQ(input.view(), "set a 0 0 20000\r\n");
}

TEST_F(InputBufferTest, GivesItsMemoryBackOnlyWhenEmpty) {
  receive("get a\r\n");
  input.release_idle();
  EXPECT_EQ(input.view(), "get a\r\n");
  input.consume(7);
  input.release_idle();

  EXPECT_EQ(blocks.in_use(), 0U);
}

TEST_F(InputBufferTest, ShrinksAgainAfterALongLine) {
  receive(std::string(InputBuffer::kSize, 'k'));
  ASSERT_TRUE(input.make_room());
  input.consume(input.view().size());
  input.release_idle();

  EXPECT_EQ(input.room().size(), InputBuffer::kSize);
}

}  // namespace
}  // namespace mcsteady::proxy
