#include "placement/sha1.h"

#include <array>
#include <bit>
#include <cstddef>

namespace mcsteady::placement {
namespace {

using State = std::array<std::uint32_t, 5>;
constexpr std::size_t kBlockSize = 64;
using Block = std::array<unsigned char, kBlockSize>;

/// RFC 3174, 5: the mixing function and the constant of the four rounds.
std::uint32_t mixed(std::size_t step, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (step < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (step < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (step < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

void add_block(const Block& block, State& state) {
  std::array<std::uint32_t, 80> words;
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = std::uint32_t{block[i * 4]} << 24 | std::uint32_t{block[i * 4 + 1]} << 16 |
               std::uint32_t{block[i * 4 + 2]} << 8 | block[i * 4 + 3];
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mixed(i, b, c, d) + e + words[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::uint32_t sha1_start(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  Block block{};
  std::size_t used = 0;
  const auto put = [&](unsigned char byte) {
    block[used++] = byte;
    if (used < kBlockSize) return;
    add_block(block, state);
    used = 0;
  };
  for (const char byte : bytes) put(static_cast<unsigned char>(byte));
  put(0x80);
  while (used != kBlockSize - 8) put(0);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) put(static_cast<unsigned char>(bits >> shift));
  return state[0];
}

}  // namespace mcsteady::placement
