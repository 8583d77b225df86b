#include "placement/spooky.h"

#include <array>
#include <bit>
#include <cstddef>

#include "placement/bytes.h"

namespace mcsteady::placement {
namespace {

constexpr std::uint64_t kFiller = 0xdeadbeefdeadbeef;
constexpr std::size_t kWords = 12;
constexpr std::size_t kBlock = kWords * 8;
constexpr std::size_t kLongFrom = 2 * kBlock;

using Short = std::array<std::uint64_t, 4>;
using Long = std::array<std::uint64_t, kWords>;

constexpr std::array<int, 12> kShortMix = {50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36};
constexpr std::array<int, 11> kShortEnd = {15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63};
constexpr std::array<int, kWords> kLongMix = {11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46};
constexpr std::array<int, kWords> kLongEnd = {44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};

void mix(Short& h) {
  for (std::size_t i = 0; i < kShortMix.size(); ++i) {
    std::uint64_t& turned = h[(i + 2) % 4];
    turned = std::rotl(turned, kShortMix[i]) + h[(i + 3) % 4];
    h[i % 4] ^= turned;
  }
}

void end(Short& h) {
  for (std::size_t i = 0; i < kShortEnd.size(); ++i) {
    std::uint64_t& turned = h[(i + 2) % 4];
    std::uint64_t& next = h[(i + 3) % 4];
    next ^= turned;
    turned = std::rotl(turned, kShortEnd[i]);
    next += turned;
  }
}

/// What is left after whole blocks of 16, less than that, and the length of it all.
void add_tail(std::string_view tail, std::size_t size, Short& h) {
  h[3] += std::uint64_t{size} << 56;
  if (tail.empty()) {
    h[2] += kFiller;
    h[3] += kFiller;
    return;
  }
  const std::string_view first = tail.substr(0, 8);
  h[2] += read_rest(first, 0);
  h[3] += read_rest(tail, first.size());
}

std::uint64_t short_hash(std::string_view bytes, std::uint64_t seed) {
  Short h = {seed, seed, kFiller, kFiller};
  std::string_view rest = bytes;
  for (; rest.size() >= 32; rest.remove_prefix(32)) {
    h[2] += read_64(rest, 0);
    h[3] += read_64(rest, 8);
    mix(h);
    h[0] += read_64(rest, 16);
    h[1] += read_64(rest, 24);
  }
  if (rest.size() >= 16) {
    h[2] += read_64(rest, 0);
    h[3] += read_64(rest, 8);
    mix(h);
    rest.remove_prefix(16);
  }
  add_tail(rest, bytes.size(), h);
  end(h);
  return h[0];
}

void mix(std::string_view block, Long& h) {
  for (std::size_t i = 0; i < kWords; ++i) {
    h[i] += read_64(block, i * 8);
    h[(i + 2) % kWords] ^= h[(i + 10) % kWords];
    h[(i + 11) % kWords] ^= h[i];
    h[i] = std::rotl(h[i], kLongMix[i]);
    h[(i + 11) % kWords] += h[(i + 1) % kWords];
  }
}

void end(std::string_view block, Long& h) {
  for (std::size_t i = 0; i < kWords; ++i) h[i] += read_64(block, i * 8);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < kWords; ++i) {
      std::uint64_t& turned = h[(i + 1) % kWords];
      h[(i + 11) % kWords] += turned;
      h[(i + 2) % kWords] ^= h[(i + 11) % kWords];
      turned = std::rotl(turned, kLongEnd[i]);
    }
  }
}

std::uint64_t long_hash(std::string_view bytes, std::uint64_t seed) {
  Long h;
  for (std::size_t i = 0; i < kWords; i += 3) {
    h[i] = seed;
    h[i + 1] = seed;
    h[i + 2] = kFiller;
  }
  std::string_view rest = bytes;
  for (; rest.size() >= kBlock; rest.remove_prefix(kBlock)) mix(rest, h);
  std::array<char, kBlock> last{};
  rest.copy(last.data(), rest.size());
  last.back() = static_cast<char>(rest.size());
  end({last.data(), last.size()}, h);
  return h[0];
}

}  // namespace

std::uint32_t spooky32(std::string_view bytes, std::uint32_t seed) {
  return static_cast<std::uint32_t>(bytes.size() < kLongFrom ? short_hash(bytes, seed)
                                                             : long_hash(bytes, seed));
}

}  // namespace mcsteady::placement
