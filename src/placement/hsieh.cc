#include "placement/hsieh.h"

#include "placement/bytes.h"

namespace mcsteady::placement {
namespace {

std::uint32_t read_16(std::string_view bytes, std::size_t at) {
  return read_little_endian<std::uint16_t>(bytes, at);
}

std::uint32_t with_tail(std::uint32_t hash, std::string_view tail) {
  switch (tail.size()) {
    case 3:
      hash += read_16(tail, 0);
      hash ^= hash << 16;
      hash ^= sign_extended(tail[2]) << 18;
      return hash + (hash >> 11);
    case 2:
      hash += read_16(tail, 0);
      hash ^= hash << 11;
      return hash + (hash >> 17);
    case 1:
      hash += static_cast<unsigned char>(tail[0]);
      hash ^= hash << 10;
      return hash + (hash >> 1);
    default:
      return hash;
  }
}

}  // namespace

std::uint32_t hsieh(std::string_view bytes) {
  if (bytes.empty()) return 0;
  std::uint32_t hash = 0;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    hash += read_16(bytes, at);
    const std::uint32_t mixed = read_16(bytes, at + 2) << 11 ^ hash;
    hash = hash << 16 ^ mixed;
    hash += hash >> 11;
  }
  hash = with_tail(hash, bytes.substr(at));
  hash ^= hash << 3;
  hash += hash >> 5;
  hash ^= hash << 4;
  hash += hash >> 17;
  hash ^= hash << 25;
  hash += hash >> 6;
  return hash;
}

}  // namespace mcsteady::placement
