#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mcsteady/base/clock.h"

namespace mcsteady::metrics {

/// Durations in log-linear buckets: each power of two of nanoseconds is cut into eight, so that a
/// quantile is at most an eighth too high, from nanoseconds to centuries, in 4 KiB. One thread
/// records, any thread reads; a reader may miss what is being recorded, and sees no tear.
class Histogram {
 public:
  static constexpr unsigned kSubBits = 3;
  static constexpr std::size_t kBuckets = (64 - kSubBits + 1) << kSubBits;
  using Counts = std::array<std::uint64_t, kBuckets>;

  void record(Duration duration) {
    const auto value = static_cast<std::uint64_t>(duration.count() > 0 ? duration.count() : 0);
    add(buckets_[bucket(value)], 1);
    add(sum_, value);
  }
  /// Adds what has been recorded to `counts`, so that several can be merged.
  void add_to(Counts& counts) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      counts[i] += buckets_[i].load(std::memory_order_relaxed);
    }
  }
  std::uint64_t sum() const { return sum_.load(std::memory_order_relaxed); }  // nanoseconds

  static constexpr std::size_t bucket(std::uint64_t value) {
    constexpr std::uint64_t kSub = 1u << kSubBits;
    if (value < kSub) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - kSubBits - 1;
    return static_cast<std::size_t>(((shift + 1) << kSubBits) + ((value >> shift) - kSub));
  }
  /// The largest value that falls into a bucket.
  static constexpr std::uint64_t upper_bound(std::size_t index) {
    constexpr std::uint64_t kSub = 1u << kSubBits;
    if (index < kSub) return index;
    const unsigned shift = static_cast<unsigned>(index >> kSubBits) - 1;
    return (((kSub + (index & (kSub - 1))) + 1) << shift) - 1;
  }

 private:
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t count) {
    to.store(to.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  std::array<std::atomic<std::uint64_t>, kBuckets> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
};

/// The upper bound of the bucket that holds the given share (0..1) of what was counted; 0 for none.
inline Duration quantile(const Histogram::Counts& counts, double share) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  if (total == 0) return Duration{0};
  const double wanted = share * static_cast<double>(total);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (seen > 0 && static_cast<double>(seen) >= wanted) {
      return Duration(static_cast<Duration::rep>(Histogram::upper_bound(i)));
    }
  }
  return Duration{0};
}

}  // namespace mcsteady::metrics
