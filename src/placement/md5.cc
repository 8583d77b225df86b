#include "placement/md5.h"

#include <bit>
#include <cstddef>

#include "placement/bytes.h"

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

/// One round of sixteen steps. `Mix` is its function of three words, `Word` says which word of the
/// block a step takes; both are known when compiling, so that a round is a straight line.
template <std::size_t kRound, class Mix, class Word>
void add_round(std::string_view block, Digest& state, Mix mix, Word word) {
  auto [a, b, c, d] = state;
#pragma GCC unroll 16  // spares the shifting of four words from name to name
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint32_t sum =
        a + mix(b, c, d) + kSines[kRound * 16 + i] + read_32(block, word(i) % 16 * 4);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[kRound][i % 4]);
  }
  state = {a, b, c, d};
}

void add_block(std::string_view block, Digest& state) {
  using Number = std::uint32_t;
  Digest mixed = state;
  add_round<0>(
      block, mixed, [](Number b, Number c, Number d) { return d ^ (b & (c ^ d)); },
      [](std::size_t i) { return i; });
  add_round<1>(
      block, mixed, [](Number b, Number c, Number d) { return (b & d) + (c & ~d); },
      [](std::size_t i) { return 5 * i + 1; });
  add_round<2>(
      block, mixed, [](Number b, Number c, Number d) { return b ^ c ^ d; },
      [](std::size_t i) { return 3 * i + 5; });
  add_round<3>(
      block, mixed, [](Number b, Number c, Number d) { return c ^ (b | ~d); },
      [](std::size_t i) { return 7 * i; });
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

}  // namespace

Digest md5(std::string_view bytes) {
  Digest state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string_view rest = bytes;
  for (; rest.size() >= kBlockSize; rest.remove_prefix(kBlockSize)) add_block(rest, state);
  // What is left, a one bit, zeros up to eight bytes short of a block, and the length in bits.
  std::array<char, 2 * kBlockSize> last{};
  rest.copy(last.data(), rest.size());
  last[rest.size()] = '\x80';
  const std::size_t size = rest.size() + 9 <= kBlockSize ? kBlockSize : 2 * kBlockSize;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) last[size - 8 + i] = static_cast<char>(bits >> i * 8 & 0xff);
  for (std::size_t at = 0; at < size; at += kBlockSize) {
    add_block(std::string_view(last.data() + at, kBlockSize), state);
  }
  return state;
}

}  // namespace mcsteady::placement
