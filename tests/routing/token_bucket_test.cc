#include "mcsteady/routing/token_bucket.h"

#include <gtest/gtest.h>

namespace mcsteady::routing {
namespace {

using namespace std::chrono_literals;

int taken(TokenBucket& bucket, TimePoint at, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += bucket.take(at) ? 1 : 0;
  return count;
}

TEST(TokenBucketTest, GivesItsBurstAtOnceAndThenItsRate) {
  const TimePoint start{};
  TokenBucket bucket(10, 3, start);

  EXPECT_EQ(taken(bucket, start, 5), 3);
  EXPECT_EQ(taken(bucket, start + 99ms, 5), 0);
  EXPECT_EQ(taken(bucket, start + 100ms, 5), 1);
  EXPECT_EQ(taken(bucket, start + 250ms, 5), 1);
  EXPECT_EQ(taken(bucket, start + 300ms, 5), 1);
}

TEST(TokenBucketTest, SavesNoMoreThanItsBurst) {
  const TimePoint start{};
  TokenBucket bucket(10, 3, start);

  EXPECT_EQ(taken(bucket, start + 24h, 10), 3);
}

TEST(TokenBucketTest, KeepsFractionsBetweenRequests) {
  const TimePoint start{};
  TokenBucket bucket(1, 1, start);
  int count = 0;
  for (int i = 0; i <= 10'000; ++i) count += bucket.take(start + i * 1ms) ? 1 : 0;

  EXPECT_NEAR(count, 11, 1);
}

}  // namespace
}  // namespace mcsteady::routing
