#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace mcsteady::protocol::binary {

/// The number at `offset`, highest byte first.
template <class Number>
Number load(std::string_view bytes, std::size_t offset) {
  static_assert(std::is_unsigned_v<Number>);
  Number number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    number = static_cast<Number>(number << 8U | static_cast<unsigned char>(bytes[offset + i]));
  }
  return number;
}

/// Writes `number`, highest byte first. Returns the end.
template <class Number>
char* store(Number number, char* out) {
  static_assert(std::is_unsigned_v<Number>);
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    out[i] = static_cast<char>(number & 0xffU);
    if constexpr (sizeof(Number) > 1) number = static_cast<Number>(number >> 8U);
  }
  return out + sizeof(Number);
}

}  // namespace mcsteady::protocol::binary
