#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// Bob Jenkins' one-at-a-time hash as libhashkit has it on x86-64, where char is signed: a byte
/// from 0x80 on enters sign-extended. Said outright, so that keys stay put on ARM too.
constexpr std::uint32_t one_at_a_time(std::string_view bytes) {
  std::uint32_t hash = 0;
  for (const char byte : bytes) {
    hash += static_cast<std::uint32_t>(static_cast<signed char>(byte));
    hash += hash << 10;
    hash ^= hash >> 6;
  }
  hash += hash << 3;
  hash ^= hash >> 11;
  hash += hash << 15;
  return hash;
}

}  // namespace mcsteady::placement
