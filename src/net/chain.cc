#include "mcsteady/net/chain.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace mcsteady::net {
namespace {

// An idle connection's chain keeps room for this many links (no blocks), so that its next reply
// does not reach the heap.
constexpr std::size_t kIdleLinks = 8;
// Moving a link costs about as much as copying this many bytes, and saves no block.
constexpr std::size_t kCopyMax = 2048;

}  // namespace

std::size_t Chain::tail_room() const {
  if (!tail_is_ours_) return 0;
  return links_.back().block.capacity() - links_.back().end;
}

std::size_t Chain::next_block_size() const {
  if (!tail_is_ours_) return BlockPool::kSizes.front();
  return std::min(links_.back().block.capacity() * 2, BlockPool::kSizes.back());
}

bool Chain::append_copy(std::string_view bytes) {
  const std::size_t fits = std::min(tail_room(), bytes.size());
  const std::string_view rest = bytes.substr(fits);
  Block block;
  if (!rest.empty()) {
    block = pool_->allocate(std::max(next_block_size(), rest.size()));
    if (!block) block = pool_->allocate(rest.size());
    if (!block) return false;
  }
  if (fits != 0) {
    Link& tail = links_.back();
    std::memcpy(tail.block.data() + tail.end, bytes.data(), fits);
    tail.end += fits;
    size_ += fits;
  }
  if (!rest.empty()) {
    std::memcpy(block.data(), rest.data(), rest.size());
    append(std::move(block), rest.size());
    tail_is_ours_ = true;
  }
  return true;
}

void Chain::append(Block block, std::size_t begin, std::size_t end) {
  assert(begin <= end && end <= block.capacity());
  if (begin == end) return;
  memory_ += block.capacity();
  size_ += end - begin;
  links_.push_back(Link{std::move(block), begin, end});
  tail_is_ours_ = false;
}

void Chain::append(Chain&& other) {
  assert(&other != this);
  if (other.empty()) return;
  if (other.size_ <= std::min(tail_room(), kCopyMax)) {
    for (std::size_t i = other.first_; i < other.links_.size(); ++i) {
      const Link& link = other.links_[i];
      append_copy({link.block.data() + link.begin, link.end - link.begin});
    }
  } else {
    for (std::size_t i = other.first_; i < other.links_.size(); ++i) {
      links_.push_back(std::move(other.links_[i]));
    }
    size_ += other.size_;
    memory_ += other.memory_;
    tail_is_ours_ = other.tail_is_ours_;
  }
  other.clear();
}

std::size_t Chain::gather(std::span<iovec> out) const {
  const std::size_t count = std::min(out.size(), links_.size() - first_);
  for (std::size_t i = 0; i < count; ++i) {
    const Link& link = links_[first_ + i];
    out[i] = {.iov_base = link.block.data() + link.begin, .iov_len = link.end - link.begin};
  }
  return count;
}

void Chain::consume(std::size_t bytes) {
  assert(bytes <= size_);
  if (bytes == size_) {
    clear();
    return;
  }
  size_ -= bytes;
  while (bytes >= links_[first_].end - links_[first_].begin) {
    Link& link = links_[first_++];
    bytes -= link.end - link.begin;
    memory_ -= link.block.capacity();
    link.block.release();
  }
  links_[first_].begin += bytes;
  // Linear in all: a spent link is moved over at most once for every link that is spent later.
  if (first_ >= kIdleLinks && first_ * 2 >= links_.size()) {
    links_.erase(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void Chain::clear() {
  links_.clear();
  if (links_.capacity() > kIdleLinks) std::vector<Link>().swap(links_);
  first_ = size_ = memory_ = 0;
  tail_is_ours_ = false;
}

}  // namespace mcsteady::net
