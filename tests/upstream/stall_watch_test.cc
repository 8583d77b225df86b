#include "mcsteady/upstream/stall_watch.h"

#include <gtest/gtest.h>

#include "upstream/upstream_fixture.h"

namespace mcsteady::upstream {
namespace {

constexpr TimePoint kStart{1h};

TEST(StallWatch, RemembersALateBeatAsAStall) {
  StallWatch watch;

  watch.on_beat(kStart, kStart + 100ms);

  EXPECT_EQ(watch.stalled(kStart - 1s, kStart + 1s), 100ms);
  EXPECT_EQ(watch.last_lag(), 100ms);
}

TEST(StallWatch, CountsOnlyWhatLiesWithinTheAskedTime) {
  StallWatch watch;
  watch.on_beat(kStart, kStart + 100ms);

  EXPECT_EQ(watch.stalled(kStart + 30ms, kStart + 1s), 70ms);
  EXPECT_EQ(watch.stalled(kStart - 1s, kStart + 30ms), 30ms);
  EXPECT_EQ(watch.stalled(kStart + 10ms, kStart + 20ms), 10ms);
  EXPECT_EQ(watch.stalled(kStart + 100ms, kStart + 1s), 0ms);
}

TEST(StallWatch, AddsSeveralStallsUp) {
  StallWatch watch;
  for (int i = 0; i < 5; ++i) {
    watch.on_beat(kStart + i * 20ms, kStart + i * 20ms + 5ms);
  }

  EXPECT_EQ(watch.stalled(kStart, kStart + 1s), 25ms);
}

TEST(StallWatch, TakesNoNoticeOfNoise) {
  StallWatch watch;

  watch.on_beat(kStart, kStart + 1999us);

  EXPECT_EQ(watch.stalled(kStart, kStart + 1s), 0ms);
  EXPECT_EQ(watch.last_lag(), 1999us);
}

TEST(StallWatch, ForgetsTheOldestStallFirst) {
  StallWatch watch;
  for (int i = 0; i < 17; ++i) watch.on_beat(kStart + i * 1s, kStart + i * 1s + 10ms);

  EXPECT_EQ(watch.stalled(kStart, kStart + 500ms), 0ms);
  EXPECT_EQ(watch.stalled(kStart, kStart + 1h), 160ms);
}

TEST(StallWatch, TakesABeatThatComesEarlyForOnTime) {
  StallWatch watch;

  watch.on_beat(kStart, kStart - 1ms);

  EXPECT_EQ(watch.last_lag(), 0ms);
}

class StallBeatTest : public UpstreamTest {};

TEST_F(StallBeatTest, BeatsOnlyWhileSomethingIsOwed) {
  ExchangePtr owed = exchange("get a\r\n", owner);
  beat.wake();
  loop.advance(1s);
  EXPECT_EQ(loop.timers_set(), 1U);

  owed.reset();
  loop.advance(20ms);

  EXPECT_EQ(loop.timers_set(), 0U);
}

TEST_F(StallBeatTest, KnowsOfAStallAnywhereInAWait) {
  const ExchangePtr owed = exchange("get a\r\n", owner);
  const TimePoint start = loop.now();
  beat.wake();
  loop.advance(110ms);
  loop.stall(60ms);
  loop.advance(100ms);

  // The beat that was due 5 ms into the stall came 55 ms late.
  EXPECT_EQ(beat.watch().stalled(start, loop.now()), 55ms);
  metrics::Histogram::Counts counts{};
  loop_lag.add_to(counts);
  EXPECT_GE(metrics::quantile(counts, 1.0), 50ms);
}

}  // namespace
}  // namespace mcsteady::upstream
