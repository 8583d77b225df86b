#include "placement/murmur.h"

#include <bit>

#include "placement/bytes.h"

namespace mcsteady::placement {
namespace {

constexpr std::uint32_t kMultiplier2 = 0x5bd1e995;
constexpr std::uint64_t kMultiplier64 = 0xc6a4a7935bd1e995;

std::uint32_t scrambled3(std::uint32_t word) {
  return std::rotl(word * 0xcc9e2d51, 15) * 0x1b873593;
}

std::uint32_t mixed3(std::uint32_t hash, std::uint32_t word) {
  return std::rotl(hash ^ scrambled3(word), 13) * 5 + 0xe6546b64;
}

}  // namespace

std::uint32_t murmur2(std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::uint32_t hash = 0xdeadbeef * size ^ size;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t word = read_32(bytes, at) * kMultiplier2;
    word ^= word >> 24;
    hash = hash * kMultiplier2 ^ word * kMultiplier2;
  }
  if (at < bytes.size()) {
    hash = (hash ^ static_cast<std::uint32_t>(read_rest(bytes, at))) * kMultiplier2;
  }
  hash = (hash ^ hash >> 13) * kMultiplier2;
  return hash ^ hash >> 15;
}

std::uint64_t murmur64a(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = seed ^ bytes.size() * kMultiplier64;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = read_64(bytes, at) * kMultiplier64;
    word = (word ^ word >> 47) * kMultiplier64;
    hash = (hash ^ word) * kMultiplier64;
  }
  if (at < bytes.size()) hash = (hash ^ read_rest(bytes, at)) * kMultiplier64;
  hash = (hash ^ hash >> 47) * kMultiplier64;
  return hash ^ hash >> 47;
}

void Murmur3Stream::add(unsigned char byte) {
  pending_ |= std::uint32_t{byte} << size_ % 4 * 8;
  if (++size_ % 4 != 0) return;
  hash_ = mixed3(hash_, pending_);
  pending_ = 0;
}

std::uint32_t Murmur3Stream::value() const {
  std::uint32_t hash = hash_;
  if (size_ % 4 != 0) hash ^= scrambled3(pending_);
  hash ^= size_;
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

std::uint32_t murmur3(std::string_view bytes, std::uint32_t seed) {
  Murmur3Stream stream(seed);
  stream.add(bytes);
  return stream.value();
}

}  // namespace mcsteady::placement
