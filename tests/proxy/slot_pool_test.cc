#include "proxy/slot_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace mcsteady::proxy {
namespace {

struct Counts {
  int made = 0, alive = 0;
};
struct CountedSlot {
  explicit CountedSlot(Counts& c) : counts(c) {
    ++counts.made;
    ++counts.alive;
  }
  ~CountedSlot() { --counts.alive; }
  CountedSlot(const CountedSlot&) = delete;
  CountedSlot& operator=(const CountedSlot&) = delete;
  Counts& counts;
};

TEST(SlotPool, MakesASlotOnlyAtANewPeak) {
  Counts counts;
  SlotPool<CountedSlot, Counts> pool(counts);
  for (int round = 0; round < 10; ++round) {
    CountedSlot& first = pool.make();
    CountedSlot& second = pool.make();
    pool.give_back(first);
    pool.give_back(second);
  }

  EXPECT_EQ(counts.made, 2);
}

TEST(SlotPool, KeepsNoMoreThanItsBoundAfterABurst) {
  Counts counts;
  SlotPool<CountedSlot, Counts> pool(counts);
  std::vector<CountedSlot*> burst;
  for (int i = 0; i < 5000; ++i) burst.push_back(&pool.make());
  for (CountedSlot* slot : burst) pool.give_back(*slot);

  EXPECT_EQ(counts.alive, 1024);
}

TEST(SlotPool, FreesWhatItKeeps) {
  Counts counts;
  {
    SlotPool<CountedSlot, Counts> pool(counts);
    pool.give_back(pool.make());
  }

  EXPECT_EQ(counts.alive, 0);
}

}  // namespace
}  // namespace mcsteady::proxy
