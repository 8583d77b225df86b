#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// One character of UTF-8 at the front of `text`, which is not empty, and its length. A byte that
/// starts none stands for itself: the clients that hash text cannot have sent it.
struct CodePoint {
  std::uint32_t value;
  std::size_t size;
};
inline CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  const std::size_t size = lead < 0xc2   ? 1
                           : lead < 0xe0 ? 2
                           : lead < 0xf0 ? 3
                           : lead < 0xf5 ? 4
                                         : 1;
  if (size == 1 || size > text.size()) return {lead, 1};
  std::uint32_t value = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1};
    value = value << 6 | (byte(i) & 0x3f);
  }
  return {value, size};
}

template <class Take>
void each_code_point(std::string_view text, Take take) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    take(next.value);
    text.remove_prefix(next.size);
  }
}

/// The 16-bit units that Java's String holds: a character beyond 0xffff is two of them.
template <class Take>
void each_utf16_unit(std::string_view text, Take take) {
  each_code_point(text, [&](std::uint32_t value) {
    if (value < 0x10000) return take(value);
    take(0xd800 + ((value - 0x10000) >> 10));
    take(0xdc00 + ((value - 0x10000) & 0x3ff));
  });
}

}  // namespace mcsteady::placement
