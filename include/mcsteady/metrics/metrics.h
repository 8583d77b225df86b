#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace mcsteady::metrics {

/// Counts up. One thread writes, any thread reads: a plain add without a locked instruction.
class Counter {
 public:
  void add(std::uint64_t count = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Goes up and down. One thread writes, any thread reads.
class Gauge {
 public:
  void add(std::int64_t change) {
    value_.store(value_.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

}  // namespace mcsteady::metrics
