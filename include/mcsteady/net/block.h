#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mcsteady/base/byte_count.h"

namespace mcsteady::net {

/// The one ceiling on the memory that connections and values of the whole process hold. Threads:
/// any. Pools ask it only when they go to the heap, not for each block.
class MemoryBudget {
 public:
  explicit MemoryBudget(ByteCount ceiling) : ceiling_(ceiling.value) {}
  bool take(std::size_t bytes);
  /// Past the ceiling if need be.
  void take_always(std::size_t bytes);
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::uint64_t ceiling() const { return ceiling_; }
  /// Less than an eighth is left.
  bool is_tight() const { return used() > ceiling_ - ceiling_ / 8; }

 private:
  void note_peak(std::uint64_t used);

  const std::uint64_t ceiling_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::uint64_t> peak_{0};
};

class BlockPool;

/// A piece of memory with one owner, which goes back to its pool by itself. Empty: no memory.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        pool_(std::exchange(other.pool_, nullptr)) {}
  Block& operator=(Block&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      capacity_ = std::exchange(other.capacity_, 0);
      pool_ = std::exchange(other.pool_, nullptr);
    }
    return *this;
  }
  ~Block() { release(); }

  explicit operator bool() const { return data_ != nullptr; }
  char* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }
  void release();

 private:
  friend class BlockPool;
  Block(char* data, std::size_t capacity, BlockPool* pool)
      : data_(data), capacity_(capacity), pool_(pool) {}
  char* data_ = nullptr;
  std::size_t capacity_ = 0;
  BlockPool* pool_ = nullptr;
};

/// Blocks of a few sizes, kept for reuse up to a bound a size, so that the hot path never reaches
/// the heap; larger ones come from the heap and go straight back to it. Outlives its blocks.
/// Thread: one worker's only.
class BlockPool {
 public:
  explicit BlockPool(MemoryBudget& budget);
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  static constexpr std::array<std::size_t, 4> kSizes{512, 2048, 16384, 65536};

  /// At least `size` bytes, or an empty block where the ceiling does not allow it.
  Block allocate(std::size_t size);
  /// The same, past the ceiling if need be: for the little that everything else stands on, such as
  /// the buffer in which a server's replies arrive (without it they could not even be dropped).
  Block allocate_always(std::size_t size);
  /// What to ask for memory when the ceiling is reached: true where it gave some back. Called from
  /// within allocate(), so it must leave alone what its callers are using.
  void set_relief(std::function<bool()> relief) { relief_ = std::move(relief); }
  /// What to tell before more is taken while memory is tight. Called from within allocate(), too.
  void set_warning(std::function<void()> warning) { warning_ = std::move(warning); }
  /// Bytes in blocks that someone holds now.
  std::uint64_t in_use() const { return in_use_; }

 private:
  friend class Block;
  enum class Ceiling { Holds, Yields };
  Block allocate(std::size_t size, Ceiling ceiling);
  char* from_heap(std::size_t capacity, Ceiling ceiling);
  void give_back(char* data, std::size_t capacity);
  bool relieved();
  void trim();  // gives all idle blocks back to the heap

  MemoryBudget& budget_;
  std::function<bool()> relief_;
  std::function<void()> warning_;
  std::array<std::vector<char*>, kSizes.size()> idle_;
  std::uint64_t in_use_ = 0;
};

}  // namespace mcsteady::net
