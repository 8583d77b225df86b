#include "placement/sha1.h"

#include <array>
#include <bit>
#include <cstddef>

#include "placement/bytes.h"

namespace mcsteady::placement {
namespace {

using State = std::array<std::uint32_t, 5>;
constexpr std::size_t kBlockSize = 64;

/// One round of twenty steps (RFC 3174, 5). `Mix` is its function of three words.
template <std::size_t kRound, class Mix>
void add_round(const std::array<std::uint32_t, 80>& words, State& state, std::uint32_t constant,
               Mix mix) {
  auto [a, b, c, d, e] = state;
#pragma GCC unroll 20  // spares the shifting of five words from name to name
  for (std::size_t i = kRound * 20; i < kRound * 20 + 20; ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mix(b, c, d) + e + words[i] + constant;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {a, b, c, d, e};
}

void add_block(std::string_view block, State& state) {
  using Number = std::uint32_t;
  std::array<Number, 80> words;
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = std::byteswap(read_32(block, i * 4));
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  const auto parity = [](Number b, Number c, Number d) { return b ^ c ^ d; };
  State mixed = state;
  add_round<0>(words, mixed, 0x5a827999,
               [](Number b, Number c, Number d) { return d ^ (b & (c ^ d)); });
  add_round<1>(words, mixed, 0x6ed9eba1, parity);
  add_round<2>(words, mixed, 0x8f1bbcdc,
               [](Number b, Number c, Number d) { return (b & c) + (d & (b ^ c)); });
  add_round<3>(words, mixed, 0xca62c1d6, parity);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

}  // namespace

std::uint32_t sha1_start(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::string_view rest = bytes;
  for (; rest.size() >= kBlockSize; rest.remove_prefix(kBlockSize)) add_block(rest, state);
  // What is left, a one bit, zeros up to eight bytes short of a block, and the length in bits.
  std::array<char, 2 * kBlockSize> last{};
  rest.copy(last.data(), rest.size());
  last[rest.size()] = '\x80';
  const std::size_t size = rest.size() + 9 <= kBlockSize ? kBlockSize : 2 * kBlockSize;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) last[size - 1 - i] = static_cast<char>(bits >> i * 8 & 0xff);
  for (std::size_t at = 0; at < size; at += kBlockSize)
    add_block({last.data() + at, kBlockSize}, state);
  return state[0];
}

}  // namespace mcsteady::placement
