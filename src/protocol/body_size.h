#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "mcsteady/protocol/request.h"
#include "protocol/words.h"

namespace mcsteady::protocol {

/// The length word of a set, and what it says of the bytes behind the line.
class BodySize {
 public:
  explicit BodySize(std::string_view word) : word_(word), size_(parse_unsigned<std::size_t>(word)) {
    if (size_ && *size_ > kServerMax) size_.reset();
  }
  std::optional<std::size_t> size() const { return size_; }

  /// A refusal of the line that also gets rid of its body, because memcached 1.6.18 would run the
  /// body as commands. A missing or negative length announces no body; any other word that is no
  /// length leaves the next request's place unknown.
  Refusal refusal(std::string_view reply) const {
    if (size_) return {.reply = reply, .swallow = *size_ + 2};
    return {.reply = reply, .close = is_unreadable()};
  }
  bool is_unreadable() const {
    return !size_ && !word_.empty() && !(word_.front() == '-' && is_exptime(word_));
  }

 private:
  // proto_text.c: a signed 32-bit number with room for the CRLF.
  static constexpr std::size_t kServerMax = std::numeric_limits<std::int32_t>::max() - 2;
  std::string_view word_;
  std::optional<std::size_t> size_;
};

}  // namespace mcsteady::protocol
