#include "support/memory_stream.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

namespace mcsteady::test {

namespace {

constexpr int kReceivesMax = 16;  // as a fair stream's budget for one turn

}  // namespace

net::Stream::Found MemoryStream::look() {
  if (closed_) return Found::Broken;
  if (end_reported_) return Found::EndOfFile;
  if (!receiving_) return Found::Nothing;
  ++polls_;
  const bool missed = polls_to_miss_ > 0;
  if (missed) {
    --polls_to_miss_;
    ++polls_missed_;
  }
  const bool there = !unread_.empty() || ended_ || breakage_;
  return receive(there && !missed ? kReceivesMax : 1);
}

net::Stream::Found MemoryStream::notice() {
  return receive(kReceivesMax);
}

net::Stream::Found MemoryStream::receive(int receives_max) {
  Found found = Found::Nothing;
  for (int i = 0; i < receives_max && !closed_; ++i) {
    std::size_t asked = 0;
    const std::size_t count = receive_once(asked);
    if (count == 0) {
      const Found end = receive_end();
      return found == Found::Nothing ? end : found;
    }
    found = Found::Bytes;
    if (count < asked) break;
  }
  return found;
}

std::size_t MemoryStream::receive_once(std::size_t& asked) {
  const std::span<char> room = handler_.room();
  if (closed_) return 0;
  assert(!room.empty() && "room() is never empty");
  asked = room.size();
  rooms_.push_back(asked);
  const std::size_t count = std::min(asked, unread_.size());
  if (count == 0) return 0;
  std::memcpy(room.data(), unread_.data(), count);
  unread_.erase(0, count);
  handler_.on_received(count);
  return count;
}

net::Stream::Found MemoryStream::receive_end() {
  if (closed_) return Found::Nothing;
  if (breakage_) {
    closed_ = true;
    handler_.on_broken(*breakage_);
    return Found::Broken;
  }
  if (!ended_ || std::exchange(end_reported_, true)) return Found::Nothing;
  handler_.on_end_of_file();
  return Found::EndOfFile;
}

void MemoryStream::push(std::string_view bytes) {
  arrives(bytes);
  while (!unread_.empty() && receiving_ && notice() == Found::Bytes) {
  }
}

void MemoryStream::push_end_of_file() {
  ends();
  notice();
}

void MemoryStream::push_breakage(net::Breakage breakage) {
  breaks(breakage);
  notice();
}

std::size_t MemoryStream::send_flushed(std::size_t limit) {
  std::size_t total = 0;
  if (!std::exchange(flush_asked_, false)) return total;
  while (!closed_) {
    std::array<iovec, 64> pieces{};
    const std::size_t count = handler_.pieces(pieces);
    if (count == 0) break;
    ++sends_;
    std::string bytes;
    for (const iovec& piece : std::span(pieces).first(count)) {
      bytes.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
    }
    const std::size_t taken = std::min(bytes.size(), limit - total);
    sent_.append(bytes, 0, taken);
    total += taken;
    if (taken > 0) handler_.on_sent(taken);
    if (taken < bytes.size()) {
      flush_asked_ = true;  // a stream asks again by itself as soon as more can go
      break;
    }
  }
  return total;
}

std::string MemoryStream::take_sent() {
  return std::exchange(sent_, {});
}

net::TransportEvidence MemoryStream::evidence() const {
  if (evidence_) return *evidence_;
  net::TransportEvidence seen;
  seen.bytes_unread = unread_.size();
  return seen;
}

}  // namespace mcsteady::test
