#include "discovery/lookup_schedule.h"

#include <gtest/gtest.h>

namespace mcsteady::discovery {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1h};
constexpr TtlLimits kLimits{.ttl_min = 5s, .ttl_max = 5min};

TEST(LookupSchedule, AsksAtOnceAndNotWhileAQuestionIsUnderWay) {
  LookupSchedule schedule(kLimits, kStart);
  EXPECT_TRUE(schedule.is_due(kStart));

  schedule.on_asked(kStart);
  schedule.hurry(kStart);

  EXPECT_FALSE(schedule.due());
}

TEST(LookupSchedule, KeepsAnAnswerForItsTtlWithinLimits) {
  LookupSchedule schedule(kLimits, kStart);

  schedule.on_answered(0s, kStart);
  EXPECT_EQ(schedule.due(), kStart + 5s);
  schedule.on_answered(30s, kStart);
  EXPECT_EQ(schedule.due(), kStart + 30s);
  schedule.on_answered(24h, kStart);
  EXPECT_EQ(schedule.due(), kStart + 5min);
}

TEST(LookupSchedule, DoublesTheDelayWithEachFailureInARow) {
  LookupSchedule schedule(kLimits, kStart);

  for (const Duration delay : {5s, 10s, 20s, 30s, 30s}) {
    schedule.on_failed(kStart);
    EXPECT_EQ(schedule.due(), kStart + delay);
  }
  schedule.on_answered(0s, kStart);
  schedule.on_failed(kStart);

  EXPECT_EQ(schedule.due(), kStart + 5s);
}

TEST(LookupSchedule, HurriesButAsksNoMoreOftenThanTheFloorAllows) {
  LookupSchedule schedule(kLimits, kStart);
  schedule.on_asked(kStart);
  schedule.on_answered(60s, kStart + 1s);

  schedule.hurry(kStart + 2s);
  EXPECT_EQ(schedule.due(), kStart + 5s);

  schedule.on_asked(kStart + 5s);
  schedule.on_answered(60s, kStart + 5s);
  schedule.hurry(kStart + 20s);
  EXPECT_EQ(schedule.due(), kStart + 20s);
  schedule.hurry(kStart + 30s);
  EXPECT_EQ(schedule.due(), kStart + 20s) << "never later than it was";
}

}  // namespace
}  // namespace mcsteady::discovery
