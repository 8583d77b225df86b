#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace mcsteady::protocol {

constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// The first blank or control byte at or behind `at`, or `end`. Eight bytes a step: keys are most
/// of what a proxy reads.
inline const char* find_blank_or_control(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = kOnes * 0x80;
  while (end - at >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    // A borrow can only mark bytes above a byte that is marked rightly, so the lowest mark counts.
    const std::uint64_t to_del = bytes ^ (kOnes * 0x7f);
    const std::uint64_t marks =
        (((bytes - kOnes * 0x21) & ~bytes) | ((to_del - kOnes) & ~to_del)) & kHighs;
    if (marks != 0) return at + std::countr_zero(marks) / 8;
    at += 8;
  }
  while (at != end && *at != ' ' && !is_control(*at)) ++at;
  return at;
}

/// Cuts a line into words at runs of blanks. A tab is no blank to memcached: it is part of a word.
class Words {
 public:
  explicit Words(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// The next word, or an empty view behind the last.
  std::string_view next() {
    while (at_ != end_ && *at_ == ' ') ++at_;
    const char* const begin = at_;
    at_ = find_blank_or_control(at_, end_);
    while (at_ != end_ && *at_ != ' ') {
      saw_control_ = true;
      at_ = find_blank_or_control(at_ + 1, end_);
    }
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  /// Reads all words that are left, and says how many they were.
  std::size_t skip_rest() {
    std::size_t count = 0;
    while (!next().empty()) ++count;
    return count;
  }
  /// Whether a word so far held a control byte. Some servers end the line there, some do not.
  bool saw_control() const { return saw_control_; }

 private:
  const char* at_;
  const char* end_;
  bool saw_control_ = false;
};

/// The whole word as a decimal number without a sign; nothing where it is not one or overflows.
template <class Number>
std::optional<Number> parse_unsigned(std::string_view word) {
  static_assert(std::numeric_limits<Number>::is_integer && !std::numeric_limits<Number>::is_signed);
  Number number = 0;
  const char* const begin = word.data();
  const char* const end = begin + word.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// Seconds or a Unix time, negative for "at once". memcached keeps 32 bits: 1.6.18 cuts a longer
/// number to garbage, newer ones refuse it, and so do we.
inline bool is_exptime(std::string_view word) {
  std::int32_t number = 0;
  const char* const begin = word.data();
  const char* const end = begin + word.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc{} && stop == end;
}

}  // namespace mcsteady::protocol
