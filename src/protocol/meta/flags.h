#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/words.h"

namespace mcsteady::protocol::meta {

/// The set of flags of one meta line, by their first byte, as memcached tells them apart.
class FlagSet {
 public:
  /// False where the flag was there already.
  bool insert(char flag) {
    const auto byte = static_cast<unsigned char>(flag);
    const std::uint64_t bit = std::uint64_t{1} << (byte & 63U);
    const bool fresh = (bits_[byte >> 6U] & bit) == 0;
    bits_[byte >> 6U] |= bit;
    return fresh;
  }
  bool contains(char flag) const {
    const auto byte = static_cast<unsigned char>(flag);
    return ((bits_[byte >> 6U] >> (byte & 63U)) & 1U) != 0;
  }
  static FlagSet of(std::string_view flags) {
    FlagSet set;
    for (const char flag : flags) set.insert(flag);
    return set;
  }

 private:
  std::array<std::uint64_t, 4> bits_{};
};

/// The words behind the key (and, of an `ms`, behind the length) of a meta line.
inline Words flag_words(std::string_view line, bool has_length) {
  Words words(line);
  words.next();
  words.next();
  if (has_length) words.next();
  return words;
}

inline bool has_base64_key(std::string_view line, bool has_length) {
  Words flags = flag_words(line, has_length);
  for (std::string_view flag = flags.next(); !flag.empty(); flag = flags.next()) {
    if (flag.front() == 'b') return true;
  }
  return false;
}

}  // namespace mcsteady::protocol::meta
