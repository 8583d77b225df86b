#include "mcsteady/net/block.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

// Under AddressSanitizer an idle block is as good as freed: whoever still touches it is reported.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(data, size) (static_cast<void>(data), static_cast<void>(size))
#define ASAN_UNPOISON_MEMORY_REGION(data, size) (static_cast<void>(data), static_cast<void>(size))
#endif

namespace mcsteady::net {
namespace {

// About a megabyte of each size; of the smallest, which connections hold most of, half of one.
constexpr std::array<std::size_t, BlockPool::kSizes.size()> kIdleMax{1024, 512, 64, 16};

/// kSizes.size() where `size` is above them all.
std::size_t size_class(std::size_t size) {
  const auto& sizes = BlockPool::kSizes;
  return static_cast<std::size_t>(std::ranges::lower_bound(sizes, size) - sizes.begin());
}

}  // namespace

bool MemoryBudget::take(std::size_t bytes) {
  std::uint64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > ceiling_ || used > ceiling_ - bytes) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  note_peak(used + bytes);
  return true;
}

void MemoryBudget::take_always(std::size_t bytes) {
  note_peak(used_.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void MemoryBudget::note_peak(std::uint64_t used) {
  std::uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < used && !peak_.compare_exchange_weak(peak, used, std::memory_order_relaxed)) {
  }
}

void Block::release() {
  if (data_ == nullptr) return;
  std::exchange(pool_, nullptr)
      ->give_back(std::exchange(data_, nullptr), std::exchange(capacity_, 0));
}

BlockPool::BlockPool(MemoryBudget& budget) : budget_(budget) {
  // Giving back must never reach the heap, and never fail.
  for (std::size_t i = 0; i < kSizes.size(); ++i) idle_[i].reserve(kIdleMax[i]);
}

BlockPool::~BlockPool() {
  assert(in_use_ == 0);
  trim();
}

Block BlockPool::allocate(std::size_t size) {
  return allocate(size, Ceiling::Holds);
}
Block BlockPool::allocate_always(std::size_t size) {
  return allocate(size, Ceiling::Yields);
}

Block BlockPool::allocate(std::size_t size, Ceiling ceiling) {
  const std::size_t index = size_class(size);
  const bool pooled = index < kSizes.size();
  const std::size_t capacity = pooled ? kSizes[index] : size;
  char* data = nullptr;
  if (pooled && !idle_[index].empty()) {
    data = idle_[index].back();
    idle_[index].pop_back();
    ASAN_UNPOISON_MEMORY_REGION(data, capacity);
  } else {
    data = from_heap(capacity, ceiling);
    if (data == nullptr) return {};
  }
  in_use_ += capacity;
  return Block{data, capacity, this};
}

char* BlockPool::from_heap(std::size_t capacity, Ceiling ceiling) {
  if (warning_ && budget_.is_tight()) warning_();
  if (!budget_.take(capacity)) {
    trim();  // what idles here counts, too
    while (relief_ && budget_.ceiling() < budget_.used() + capacity && relieved()) {
    }
    if (ceiling == Ceiling::Yields) {
      budget_.take_always(capacity);
    } else if (!budget_.take(capacity)) {
      return nullptr;
    }
  }
  char* data = static_cast<char*>(std::malloc(capacity));
  if (data == nullptr) budget_.give_back(capacity);
  return data;
}

/// Whether asking for relief brought any.
bool BlockPool::relieved() {
  const std::uint64_t before = budget_.used();
  if (!relief_()) return false;
  trim();
  return budget_.used() < before;
}

void BlockPool::give_back(char* data, std::size_t capacity) {
  in_use_ -= capacity;
  const std::size_t index = size_class(capacity);
  if (index < kSizes.size() && idle_[index].size() < kIdleMax[index]) {
    ASAN_POISON_MEMORY_REGION(data, capacity);
    idle_[index].push_back(data);
    return;
  }
  std::free(data);
  budget_.give_back(capacity);
}

void BlockPool::trim() {
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    for (char* data : idle_[i]) std::free(data);
    budget_.give_back(idle_[i].size() * kSizes[i]);
    idle_[i].clear();
  }
}

}  // namespace mcsteady::net
