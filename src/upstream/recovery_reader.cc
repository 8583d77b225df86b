#include "upstream/recovery_reader.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace mcsteady::upstream {

namespace {
using Event = RecoveryReader::Event;
using protocol::ReplyError;
using protocol::ReplyLine;

// memcached's items end at 1 GiB (-I). A larger number is no length, and is not worth skipping.
constexpr std::size_t kBelievableMax = std::size_t{1} << 30;

// What stands behind a large value is small: END, or the lines of small replies.
constexpr std::size_t kBehindLarge = 64;
// The end of a classic reply, which may come alone, and a small reply or two between large ones.
constexpr int kExpectedFor = 4;

bool ends_with_crlf(const char* data, std::size_t size) {
  return data[size - 2] == '\r' && data[size - 1] == '\n';
}

/// The same line, with its views moved to a copy of its bytes at `to`.
ReplyLine moved_to(const ReplyLine& line, const char* to) {
  ReplyLine moved = line;
  moved.line = {to, line.line.size()};
  if (!line.key.empty()) {
    moved.key = {to + (line.key.data() - line.line.data()), line.key.size()};
  }
  return moved;
}

Event refused(const ReplyLine& line, Failure failure) {
  return {.kind = Event::Kind::Refused,
          .item = {.line = line, .wire = {}, .large = {}},
          .failure = failure};
}
}  // namespace

std::span<char> RecoveryReader::room() {
  if (large_) return {large_->block.data() + large_->filled, large_->size - large_->filled};
  fit_buffer();
  // A tail with little room behind it moves to the front, or the rest of it would come in two
  // reads.
  if (begin_ > 0 && buffer_.capacity() - end_ < kLargeMin) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  room_size_ = buffer_.capacity() - end_;
  if (skip_ > 0) room_size_ = std::min(room_size_, skip_);
  return {buffer_.data() + end_, room_size_};
}

void RecoveryReader::expect_large(std::size_t size) {
  expected_ = size + kBehindLarge;
  expected_for_ = expected_ <= kExpectedMax ? kExpectedFor : 0;
}

/// None where no large value is expected, or there is no memory for one.
net::Block RecoveryReader::expected_buffer() {
  if (expected_for_ == 0) return {};
  --expected_for_;
  return blocks_.allocate(expected_);
}

/// Sees that there is a buffer, of the size that suits what came last.
void RecoveryReader::fit_buffer() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (!buffer_) {
    buffer_ = expected_buffer();
    if (buffer_) return;
  }
  const std::size_t suits = busy_ ? kBusyBufferSize : kBufferSize;
  if (buffer_ && (buffer_.capacity() >= suits || begin_ == 0)) return;
  net::Block fresh = blocks_.allocate_always(suits);
  if (begin_ != end_) std::memcpy(fresh.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  buffer_ = std::move(fresh);
}

void RecoveryReader::received(std::size_t count) {
  busy_ = !large_ && count == room_size_;
  if (large_) {
    large_->filled += count;
    assert(large_->filled <= large_->size);
  } else {
    end_ += count;
    assert(end_ <= buffer_.capacity());
  }
}

Result<Event, ReplyError> RecoveryReader::next(protocol::ReplyShape shape, bool wanted) {
  if (large_) return finish_large();
  if (skip_ > 0) return go_on_skipping();
  if (begin_ == end_) return Event{};
  const auto parsed = protocol::parse_reply_line(view(), shape);
  if (!parsed) return Unexpected{parsed.error()};
  if (!parsed->has_value()) return Event{};
  const ReplyLine& line = **parsed;
  if (line.value_size) return take_value(line, wanted);
  begin_ += line.line.size();
  return Event{.kind = Event::Kind::Line, .item = {.line = line, .wire = line.line, .large = {}}};
}

Result<Event, ReplyError> RecoveryReader::take_value(const ReplyLine& line, bool wanted) {
  if (*line.value_size > kBelievableMax) return Unexpected{ReplyError::BadNumber};
  const std::size_t here = end_ - begin_;
  if (*line.value_size > value_max_) {
    begin_skip(line, *line.value_size + line.line.size() + 2);
    return refused(line, Failure::ValueTooLarge);
  }
  const std::size_t size = line.line.size() + *line.value_size + 2;
  if (size <= here) {
    const char* wire = buffer_.data() + begin_;
    if (!ends_with_crlf(wire, size)) return Unexpected{ReplyError::Unexpected};
    if (size > kBufferSize) expect_large(size);
    if (wanted && size > kBufferSize && is_fit_for(size)) {
      const ReplyLine its_line = line;  // whose views stay where they are
      net::Block block = take_buffer(size);
      return Event{.kind = Event::Kind::Item,
                   .item = {.line = its_line, .wire = {wire, size}, .large = std::move(block)}};
    }
    begin_ += size;
    return Event{.kind = Event::Kind::Item,
                 .item = {.line = line, .wire = {wire, size}, .large = {}}};
  }
  if (size <= buffer_.capacity() && size - here < kLargeMin) return Event{};
  if (!wanted) {
    begin_skip(line, size);
    return go_on_skipping();
  }
  if (begin_large(line, size)) return Event{};
  begin_skip(line, size);
  return refused(line, Failure::NoMemory);
}

/// Whether the buffer can be the block of the value at its front: it starts with it, and is not
/// much larger.
bool RecoveryReader::is_fit_for(std::size_t size) const {
  return begin_ == 0 && size <= buffer_.capacity() && buffer_.capacity() / 2 <= size;
}

/// The buffer as the block of the value at its front; what is behind that gets another buffer.
net::Block RecoveryReader::take_buffer(std::size_t size) {
  const std::size_t behind = end_ > size ? end_ - size : 0;
  net::Block taken = std::move(buffer_);
  begin_ = end_ = 0;
  if (behind > 0) {
    buffer_ = expected_buffer();
    if (buffer_.capacity() < std::max(behind, kBufferSize)) {
      buffer_ = blocks_.allocate_always(std::max(behind, kBufferSize));
    }
    std::memcpy(buffer_.data(), taken.data() + size, behind);
    end_ = behind;
  }
  return taken;
}

bool RecoveryReader::begin_large(const ReplyLine& line, std::size_t size) {
  if (is_fit_for(size)) {
    const std::size_t here = end_;
    busy_ = false;
    large_.emplace(Large{take_buffer(size), line, size, here});
    return true;
  }
  net::Block block = blocks_.allocate(size);
  if (!block) return false;
  const std::size_t here = end_ - begin_;
  std::memcpy(block.data(), buffer_.data() + begin_, here);
  const ReplyLine moved = moved_to(line, block.data());
  busy_ = false;
  large_.emplace(Large{std::move(block), moved, size, here});
  begin_ = end_ = 0;
  buffer_.release();
  return true;
}

Result<Event, ReplyError> RecoveryReader::finish_large() {
  if (large_->filled < large_->size) return Event{};
  if (!ends_with_crlf(large_->block.data(), large_->size))
    return Unexpected{ReplyError::Unexpected};
  expect_large(large_->size);
  Event event{.kind = Event::Kind::Item,
              .item = {.line = large_->line,
                       .wire = {large_->block.data(), large_->size},
                       .large = std::move(large_->block)}};
  large_.reset();
  return event;
}

void RecoveryReader::begin_skip(const ReplyLine& line, std::size_t size) {
  skip_ = size;
  skipped_is_last_ = line.last;
}

Event RecoveryReader::go_on_skipping() {
  const std::size_t count = std::min(skip_, end_ - begin_);
  skip_ -= count;
  begin_ += count;
  Event event{.kind = Event::Kind::NeedMore, .item = {}, .skipped = count};
  if (skip_ > 0) return event;
  event.kind = Event::Kind::Skipped;
  event.item.line.last = skipped_is_last_;
  return event;
}

void RecoveryReader::release_idle() {
  if (begin_ != end_) return;
  begin_ = end_ = 0;
  buffer_.release();
}

}  // namespace mcsteady::upstream
