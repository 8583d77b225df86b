#include "mcsteady/routing/fastest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mcsteady::routing {
namespace {

using namespace std::chrono_literals;

/// How often each of three is chosen, of so many times, where they take so long.
std::vector<int> chosen(Fastest& fastest, int times, const std::vector<Duration>& taking) {
  std::vector<int> counts(taking.size());
  for (int i = 0; i < times; ++i) {
    const std::size_t index = fastest.choose();
    ++counts[index];
    fastest.answered(index, taking[index]);
  }
  return counts;
}

TEST(Fastest, AsksTheQuickestAndTheOthersNowAndThen) {
  Fastest fastest(3);

  const auto counts = chosen(fastest, 6400, {3ms, 1ms, 2ms});

  EXPECT_GT(counts[1], 6300);
  EXPECT_GT(counts[0], 30);
  EXPECT_GT(counts[2], 30);
}

TEST(Fastest, NoticesWhoHasBecomeQuick) {
  Fastest fastest(2);
  chosen(fastest, 1000, {1ms, 5ms});

  chosen(fastest, 6400, {1ms, 100us});

  EXPECT_GT(chosen(fastest, 1000, {1ms, 100us})[1], 980);
}

TEST(Fastest, LeavesWhoFails) {
  Fastest fastest(2);
  chosen(fastest, 100, {1ms, 2ms});

  fastest.failed(0);

  EXPECT_EQ(fastest.choose(), 1U);
}

TEST(Fastest, AsksEachOnceBeforeItKnows) {
  Fastest fastest(3);

  EXPECT_EQ(chosen(fastest, 3, {1ms, 1ms, 1ms}), (std::vector<int>{1, 1, 1}));
}

}  // namespace
}  // namespace mcsteady::routing
