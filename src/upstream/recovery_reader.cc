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

/// Sees that there is a buffer, of the size that suits what came last.
void RecoveryReader::fit_buffer() {
  if (begin_ == end_) begin_ = end_ = 0;
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

bool RecoveryReader::begin_large(const ReplyLine& line, std::size_t size) {
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
