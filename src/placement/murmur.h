#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// MurmurHash2, 32 bits, seeded with 0xdeadbeef times the length as libhashkit and twemproxy do.
std::uint32_t murmur2(std::string_view bytes);

/// MurmurHash3_x86_32.
std::uint32_t murmur3(std::string_view bytes, std::uint32_t seed);
/// The same seeded as libhashkit does: 0xdeadbeef times the length.
inline std::uint32_t murmur3_of_libhashkit(std::string_view bytes) {
  return murmur3(bytes, 0xdeadbeef * static_cast<std::uint32_t>(bytes.size()));
}

/// MurmurHash64A, which mcrouter's hashes are made of.
std::uint64_t murmur64a(std::string_view bytes, std::uint64_t seed);

/// MurmurHash3_x86_32 fed byte by byte, for a text that is not in memory as it is hashed.
class Murmur3Stream {
 public:
  explicit Murmur3Stream(std::uint32_t seed) : hash_(seed) {}
  void add(unsigned char byte);
  void add(std::string_view bytes) {
    for (const char byte : bytes) add(static_cast<unsigned char>(byte));
  }
  std::uint32_t value() const;

 private:
  std::uint32_t hash_;
  std::uint32_t pending_ = 0;  // the bytes of a word that is not full yet
  std::uint32_t size_ = 0;
};

}  // namespace mcsteady::placement
