#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mcsteady::placement {

/// A number from the little-endian bytes at `at`, which need not be aligned.
template <class Number>
Number read_little_endian(std::string_view bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  if constexpr (std::endian::native == std::endian::big) number = std::byteswap(number);
  return number;
}

inline std::uint32_t read_32(std::string_view bytes, std::size_t at) {
  return read_little_endian<std::uint32_t>(bytes, at);
}
inline std::uint64_t read_64(std::string_view bytes, std::size_t at) {
  return read_little_endian<std::uint64_t>(bytes, at);
}

/// Up to eight bytes from `at` to the end, as if zeros followed.
inline std::uint64_t read_rest(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i > at; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

/// What a char of C is on x86-64, where it is signed: 0xc3 becomes 0xffffffc3.
template <class Number = std::uint32_t>
constexpr Number sign_extended(char byte) {
  return static_cast<Number>(static_cast<signed char>(byte));
}

}  // namespace mcsteady::placement
