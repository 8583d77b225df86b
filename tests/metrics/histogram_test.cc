#include "mcsteady/metrics/histogram.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/rng.h"

namespace mcsteady::metrics {
namespace {

using namespace std::chrono_literals;

Histogram::Counts counts_of(const Histogram& histogram) {
  Histogram::Counts counts{};
  histogram.add_to(counts);
  return counts;
}

TEST(Histogram, PutsEveryValueInABucketThatReachesItByAnEighth) {
  test::Rng rng(5);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = rng.next() >> rng.below(64);
    const std::size_t bucket = Histogram::bucket(value);
    ASSERT_LT(bucket, Histogram::kBuckets);
    const std::uint64_t bound = Histogram::upper_bound(bucket);
    ASSERT_GE(bound, value);
    ASSERT_LE(bound - value, value / 8) << value;
  }
}

TEST(Histogram, HasBucketsWithoutGapsOrOverlaps) {
  for (std::size_t bucket = 0; bucket + 1 < Histogram::kBuckets; ++bucket) {
    const std::uint64_t bound = Histogram::upper_bound(bucket);
    EXPECT_EQ(Histogram::bucket(bound), bucket);
    EXPECT_EQ(Histogram::bucket(bound + 1), bucket + 1);
  }
  EXPECT_EQ(Histogram::upper_bound(Histogram::kBuckets - 1), UINT64_MAX);
}

TEST(Histogram, TellsQuantilesAtMostAnEighthTooHigh) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.record(i * 1us);
  const Histogram::Counts counts = counts_of(histogram);

  for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    SCOPED_TRACE(share);
    const auto exact = static_cast<Duration::rep>(share * 1'000'000);
    EXPECT_GE(quantile(counts, share).count(), exact);
    EXPECT_LE(quantile(counts, share).count(), exact + exact / 8 + 1);
  }
}

TEST(Histogram, TellsTheSmallestAndTheLargest) {
  Histogram histogram;
  histogram.record(1us);
  histogram.record(1s);
  const Histogram::Counts counts = counts_of(histogram);

  EXPECT_LE(quantile(counts, 0.0), 1125ns);
  EXPECT_GE(quantile(counts, 1.0), 1s);
  EXPECT_LE(quantile(counts, 1.0), 1125ms);
}

TEST(Histogram, HasNoQuantileWhereNothingWasRecorded) {
  EXPECT_EQ(quantile(counts_of(Histogram()), 0.5), 0ns);
}

TEST(Histogram, TakesANegativeDurationForNone) {
  Histogram histogram;

  histogram.record(-5ns);

  EXPECT_EQ(counts_of(histogram)[0], 1U);
  EXPECT_EQ(histogram.sum(), 0U);
}

TEST(Histogram, SumsWhatItRecorded) {
  Histogram histogram;
  histogram.record(3ms);
  histogram.record(4ms);

  EXPECT_EQ(histogram.sum(), 7'000'000U);
}

TEST(Histogram, MergesWithOthers) {
  Histogram fast;
  Histogram slow;
  for (int i = 0; i < 99; ++i) fast.record(1us);
  slow.record(1s);
  Histogram::Counts both{};

  fast.add_to(both);
  slow.add_to(both);

  EXPECT_LE(quantile(both, 0.98), 1125ns);
  EXPECT_GE(quantile(both, 1.0), 1s);
}

TEST(Histogram, IsReadByAnyThreadWhileOneRecords) {
  Histogram histogram;
  std::jthread reader([&histogram] {
    for (int i = 0; i < 100; ++i) static_cast<void>(quantile(counts_of(histogram), 0.5));
  });
  for (int i = 0; i < 10'000; ++i) histogram.record(1us);
  reader.join();

  EXPECT_EQ(counts_of(histogram)[Histogram::bucket(1000)], 10'000U);
}

}  // namespace
}  // namespace mcsteady::metrics
