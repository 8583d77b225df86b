#pragma once

#include <cstdint>
#include <string_view>

#include "placement/bytes.h"

namespace mcsteady::placement {

// The FNV hashes as libhashkit and twemproxy have them: bytes enter sign-extended. Sources:
// libhashkit/fnv_32.cc, fnv_64.cc; twemproxy hashkit/nc_fnv.c.

constexpr std::uint32_t kFnv32Start = 2166136261u;
constexpr std::uint32_t kFnv32Prime = 16777619u;
constexpr std::uint64_t kFnv64Start = 0xcbf29ce484222325u;
constexpr std::uint64_t kFnv64Prime = 0x100000001b3u;

constexpr std::uint32_t fnv1_32(std::string_view bytes) {
  std::uint32_t hash = kFnv32Start;
  for (const char byte : bytes) hash = hash * kFnv32Prime ^ sign_extended(byte);
  return hash;
}

constexpr std::uint32_t fnv1a_32(std::string_view bytes) {
  std::uint32_t hash = kFnv32Start;
  for (const char byte : bytes) hash = (hash ^ sign_extended(byte)) * kFnv32Prime;
  return hash;
}

/// The low half of the 64-bit hash.
constexpr std::uint32_t fnv1_64(std::string_view bytes) {
  std::uint64_t hash = kFnv64Start;
  for (const char byte : bytes) hash = hash * kFnv64Prime ^ sign_extended<std::uint64_t>(byte);
  return static_cast<std::uint32_t>(hash);
}

/// Not the 64-bit hash that its name promises: both of them keep 32 bits of the state, of the start
/// and of the prime. twemproxy's default.
constexpr std::uint32_t fnv1a_64(std::string_view bytes) {
  auto hash = static_cast<std::uint32_t>(kFnv64Start);
  for (const char byte : bytes) {
    hash = (hash ^ sign_extended(byte)) * static_cast<std::uint32_t>(kFnv64Prime);
  }
  return hash;
}

}  // namespace mcsteady::placement
