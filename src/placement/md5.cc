#include "placement/md5.h"

#include <bit>
#include <cstddef>
#include <string>

namespace mcsteady::placement {
namespace {

using Digest = std::array<std::uint32_t, 4>;
constexpr std::size_t kBlockSize = 64;

// RFC 1321, 3.4: floor(2^32 * |sin(i + 1)|).
constexpr std::array<std::uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kShifts = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

std::uint32_t little_endian(std::string_view four) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i > 0; --i) word = word << 8 | static_cast<unsigned char>(four[i - 1]);
  return word;
}

/// The round's mixing function, and which word of the block the step takes.
struct Step {
  std::uint32_t mixed;
  std::size_t word;
};

Step step_of(std::size_t i, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  switch (i / 16) {
    case 0:
      return {(b & c) | (~b & d), i};
    case 1:
      return {(b & d) | (c & ~d), (5 * i + 1) % 16};
    case 2:
      return {b ^ c ^ d, (3 * i + 5) % 16};
    default:
      return {c ^ (b | ~d), 7 * i % 16};
  }
}

void add_block(std::string_view block, Digest& state) {
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < kSines.size(); ++i) {
    const auto [mixed, word] = step_of(i, b, c, d);
    const std::uint32_t sum = a + mixed + kSines[i] + little_endian(block.substr(word * 4, 4));
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[i / 16][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

/// A one bit, zeros up to eight bytes short of a block, and the length in bits.
std::string padded(std::string_view bytes) {
  std::string message(bytes);
  message += '\x80';
  while (message.size() % kBlockSize != kBlockSize - 8) message += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) message += static_cast<char>(bits >> shift & 0xff);
  return message;
}

}  // namespace

Digest md5(std::string_view bytes) {
  Digest state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::string message = padded(bytes);
  for (std::size_t at = 0; at < message.size(); at += kBlockSize) {
    add_block(std::string_view(message).substr(at, kBlockSize), state);
  }
  return state;
}

}  // namespace mcsteady::placement
