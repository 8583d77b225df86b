#include "mcsteady/net/block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace mcsteady::net {
namespace {

TEST(MemoryBudget, GivesUpToItsCeilingAndNoMore) {
  MemoryBudget budget(ByteCount{100});

  EXPECT_TRUE(budget.take(60));
  EXPECT_FALSE(budget.take(41));
  EXPECT_TRUE(budget.take(40));
  EXPECT_EQ(budget.used(), 100U);
}

TEST(MemoryBudget, RefusesWhatWouldOverflowItsCount) {
  MemoryBudget budget(ByteCount{100});
  ASSERT_TRUE(budget.take(60));

  EXPECT_FALSE(budget.take(SIZE_MAX - 10));
}

TEST(MemoryBudget, RemembersItsPeak) {
  MemoryBudget budget(ByteCount{100});
  ASSERT_TRUE(budget.take(80));

  budget.give_back(80);
  ASSERT_TRUE(budget.take(10));

  EXPECT_EQ(budget.used(), 10U);
  EXPECT_EQ(budget.peak(), 80U);
}

TEST(MemoryBudget, HoldsItsCeilingWhenManyThreadsTake) {
  MemoryBudget budget(ByteCount{1000});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget] {
      for (int round = 0; round < 10000; ++round) {
        if (budget.take(300)) budget.give_back(300);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(budget.used(), 0U);
  EXPECT_LE(budget.peak(), 1000U);
}

TEST(BlockPool, HandsOutTheSmallestSizeThatHoldsWhatIsAsked) {
  MemoryBudget budget(MiB(1));
  BlockPool pool(budget);
  const std::vector<std::pair<std::size_t, std::size_t>> table{
      {0, 512},      {1, 512},       {512, 512},     {513, 2048},    {2048, 2048},
      {2049, 16384}, {16385, 65536}, {65536, 65536}, {65537, 65537}, {100000, 100000}};

  for (const auto& [asked, capacity] : table) {
    EXPECT_EQ(pool.allocate(asked).capacity(), capacity) << asked;
  }
}

TEST(BlockPool, CountsWhatIsHeldUntilItIsReleased) {
  MemoryBudget budget(MiB(1));
  BlockPool pool(budget);

  Block first = pool.allocate(100);
  Block second = pool.allocate(100000);
  EXPECT_EQ(pool.in_use(), 100512U);
  first.release();
  second.release();

  EXPECT_FALSE(first);
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST(BlockPool, UsesAReleasedBlockAgainWithoutAskingTheBudget) {
  MemoryBudget budget(MiB(1));
  BlockPool pool(budget);
  Block first = pool.allocate(100);
  const char* place = first.data();

  first.release();
  const Block second = pool.allocate(200);

  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(budget.peak(), 512U);
}

TEST(BlockPool, GivesLargeBlocksStraightBack) {
  MemoryBudget budget(MiB(1));
  BlockPool pool(budget);

  pool.allocate(100000).release();

  EXPECT_EQ(budget.used(), 0U);
}

TEST(BlockPool, KeepsABoundedNumberOfIdleBlocks) {
  MemoryBudget budget(MiB(64));
  BlockPool pool(budget);
  std::vector<Block> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(pool.allocate(65536));

  blocks.clear();

  EXPECT_LE(budget.used(), MiB(1).value);
}

TEST(BlockPool, ReturnsAnEmptyBlockWhereTheCeilingDoesNotAllowOne) {
  MemoryBudget budget(ByteCount{3000});
  BlockPool pool(budget);
  const Block held = pool.allocate(2048);

  EXPECT_FALSE(pool.allocate(2048));
  EXPECT_TRUE(pool.allocate(512));
}

TEST(BlockPool, GivesUpItsIdleBlocksBeforeItRefuses) {
  MemoryBudget budget(ByteCount{2048});
  BlockPool pool(budget);
  pool.allocate(2048).release();

  EXPECT_TRUE(pool.allocate(512));
}

TEST(BlockPool, LeavesNothingOnItsBudgetWhenItEnds) {
  MemoryBudget budget(MiB(1));
  {
    BlockPool pool(budget);
    pool.allocate(100).release();
    ASSERT_EQ(budget.used(), 512U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(Block, ChangesItsOwnerWhenItIsMoved) {
  MemoryBudget budget(MiB(1));
  BlockPool pool(budget);
  Block first = pool.allocate(100);
  Block second = pool.allocate(2048);

  second = std::move(first);

  EXPECT_EQ(second.capacity(), 512U);
  EXPECT_EQ(pool.in_use(), 512U);
}

}  // namespace
}  // namespace mcsteady::net
