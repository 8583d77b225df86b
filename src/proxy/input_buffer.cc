#include "proxy/input_buffer.h"

#include <cstring>

namespace mcsteady::proxy {

std::span<char> InputBuffer::room() {
  if (!block_) block_ = blocks_.allocate_always(kSize);
  if (begin_ == end_) begin_ = end_ = 0;
  // A request's tail behind a small rest of room would take two reads: move it to the front first.
  if (begin_ > 0 && block_.capacity() - end_ < kSize / 2) {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {block_.data() + end_, block_.capacity() - end_};
}

bool InputBuffer::make_room() {
  if (end_ - begin_ < block_.capacity()) return true;
  net::Block larger = blocks_.allocate(block_.capacity() * 2);
  if (!larger) return false;
  end_ -= begin_;
  std::memcpy(larger.data(), block_.data() + begin_, end_);
  begin_ = 0;
  block_ = std::move(larger);
  return true;
}

void InputBuffer::release_idle() {
  if (!empty()) return;
  begin_ = end_ = 0;
  block_.release();
}

}  // namespace mcsteady::proxy
