#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/net/block.h"

namespace mcsteady::net {

/// Bytes on their way out, in order, in blocks: small things are copied into the last block, large
/// blocks are linked in as they are. Holds no memory while empty. Thread: its owner's.
class Chain {
 public:
  explicit Chain(BlockPool& pool) : pool_(&pool) {}

  /// False, and nothing appended, where the memory ceiling does not allow it.
  bool append_copy(std::string_view bytes);
  /// Links `block` in; its first `size` bytes are the content.
  void append(Block block, std::size_t size) { append(std::move(block), 0, size); }
  /// The same where the content lies at [begin, end) of the block.
  void append(Block block, std::size_t begin, std::size_t end);
  /// Moves everything out of `other`, behind what is here. Copies where that is cheaper.
  void append(Chain&& other);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }      // bytes of content
  std::size_t memory() const { return memory_; }  // bytes of blocks held
  /// Fills `out` from the front; returns how many pieces. Good until the chain changes.
  std::size_t gather(std::span<iovec> out) const;
  void consume(std::size_t bytes);
  void clear();

 private:
  struct Link {
    Block block;
    std::size_t begin, end;  // the content within the block
  };
  std::size_t tail_room() const;  // bytes that append_copy may still write into the last block
  std::size_t next_block_size() const;  // small at first, larger while it fills up

  BlockPool* pool_;
  std::vector<Link> links_;
  std::size_t first_ = 0;  // links before it are spent
  std::size_t size_ = 0;
  std::size_t memory_ = 0;
  bool tail_is_ours_ = false;  // the last block was not linked in by someone who may go on using it
};

}  // namespace mcsteady::net
