#pragma once

#include <cstdint>
#include <string_view>

#include "placement/bytes.h"
#include "placement/fnv.h"
#include "placement/text_units.h"

namespace mcsteady::placement {

// spymemcached's and xmemcached's hashes of a key, which is text to them and not bytes. Sources:
// spymemcached DefaultHashAlgorithm.java, xmemcached HashAlgorithm.java.

/// NATIVE_HASH: String.hashCode().
inline std::uint32_t java_native(std::string_view text) {
  std::uint32_t hash = 0;
  each_utf16_unit(text, [&](std::uint32_t unit) { hash = hash * 31 + unit; });
  return hash;
}

/// The FNV hashes over UTF-16 units. The state has 64 bits in all four, and is cut at the end.
template <std::uint64_t kStart, std::uint64_t kPrime>
std::uint32_t java_fnv1(std::string_view text) {
  std::uint64_t hash = kStart;
  each_utf16_unit(text, [&](std::uint32_t unit) { hash = hash * kPrime ^ unit; });
  return static_cast<std::uint32_t>(hash);
}
template <std::uint64_t kStart, std::uint64_t kPrime>
std::uint32_t java_fnv1a(std::string_view text) {
  std::uint64_t hash = kStart;
  each_utf16_unit(text, [&](std::uint32_t unit) { hash = (hash ^ unit) * kPrime; });
  return static_cast<std::uint32_t>(hash);
}

/// xmemcached's ONE_AT_A_TIME: as one_at_a_time, but bytes enter unsigned.
inline std::uint32_t java_one_at_a_time(std::string_view bytes) {
  std::uint32_t hash = 0;
  for (const char byte : bytes) {
    hash += static_cast<unsigned char>(byte);
    hash += hash << 10;
    hash ^= hash >> 6;
  }
  hash += hash << 3;
  hash ^= hash >> 11;
  hash += hash << 15;
  return hash;
}

}  // namespace mcsteady::placement
