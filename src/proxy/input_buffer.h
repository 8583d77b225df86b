#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "mcsteady/net/block.h"

namespace mcsteady::proxy {

/// What a client has sent and we have not used yet. Holds memory only while there is something in
/// it, or a receive may be under way. Thread: its client's.
class InputBuffer {
 public:
  static constexpr std::size_t kSize = 16384;

  explicit InputBuffer(net::BlockPool& blocks) : blocks_(blocks) {}

  /// Where more may land, behind what is here; never empty after make_room().
  std::span<char> room();
  void received(std::size_t count) { end_ += count; }
  /// Sees that room() is not empty though a line fills the whole buffer. False: no memory.
  bool make_room();

  bool is_full() const { return end_ - begin_ == block_.capacity(); }
  std::size_t memory() const { return block_.capacity(); }
  bool empty() const { return begin_ == end_; }
  std::string_view view() const { return {block_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t count) { begin_ += count; }
  /// Drops all behind the first `count` bytes.
  void cut(std::size_t count) { end_ = begin_ + count; }
  void release_idle();

 private:
  net::BlockPool& blocks_;
  net::Block block_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace mcsteady::proxy
