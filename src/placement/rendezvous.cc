#include "placement/rendezvous.h"

#include <cmath>

#include "placement/murmur.h"
#include "placement/text_units.h"

namespace mcsteady::placement {
namespace {

constexpr std::uint64_t kTagSeed = 4193360111;
constexpr std::uint64_t kKeySeed = 2718281828;

void add_text(std::string_view text, Murmur3Stream& hash) {
  each_code_point(text, [&](std::uint32_t value) { hash.add(static_cast<unsigned char>(value)); });
}

/// A byte of a key as repr() of Python writes it.
void add_repr(unsigned char byte, char quote, Murmur3Stream& hash) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (byte == '\t') return hash.add("\\t");
  if (byte == '\n') return hash.add("\\n");
  if (byte == '\r') return hash.add("\\r");
  if (byte < 0x20 || byte >= 0x7f) {
    hash.add("\\x");
    hash.add(static_cast<unsigned char>(kHex[byte >> 4]));
    return hash.add(static_cast<unsigned char>(kHex[byte & 15]));
  }
  if (byte == '\\' || byte == static_cast<unsigned char>(quote)) hash.add('\\');
  hash.add(byte);
}

/// A key that was given as bytes is formatted into the text: b'key'.
void add_bytes(std::string_view key, Murmur3Stream& hash) {
  const bool double_quoted = key.contains('\'') && !key.contains('"');
  const char quote = double_quoted ? '"' : '\'';
  hash.add('b');
  hash.add(static_cast<unsigned char>(quote));
  for (const char byte : key) add_repr(static_cast<unsigned char>(byte), quote, hash);
  hash.add(static_cast<unsigned char>(quote));
}

}  // namespace

McrouterScore::McrouterScore(const PlacementOptions& options, const Members& members) {
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    tags_.push_back(murmur64a(name_of(members.node(rank), options.names), kTagSeed));
  }
}

std::uint64_t McrouterScore::key(std::string_view text) const {
  return murmur64a(text, kKeySeed);
}

/// hash_128_to_64 of CityHash, which folly took over.
std::uint64_t McrouterScore::mixed(std::uint64_t key, std::size_t rank) const {
  constexpr std::uint64_t kMultiplier = 0x9ddfea08eb382d69;
  std::uint64_t a = (key ^ tags_[rank]) * kMultiplier;
  a ^= a >> 47;
  std::uint64_t b = (tags_[rank] ^ a) * kMultiplier;
  b ^= b >> 47;
  return b * kMultiplier;
}

WeightedMcrouterScore::WeightedMcrouterScore(const PlacementOptions& options,
                                             const Members& members)
    : McrouterScore(options, members) {
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    weights_.push_back(members.weight(rank));
  }
}

double WeightedMcrouterScore::of(std::uint64_t key, std::size_t rank) const {
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 53) - 1;
  const double unit =
      static_cast<double>(mixed(key, rank) & kMantissa) / static_cast<double>(kMantissa + 1);
  return weights_[rank] * (1.0 / -std::log(unit));
}

PymemcacheScore::PymemcacheScore(const PlacementOptions& options, const Members& members)
    : bytes_(options.python_bytes) {
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    stems_.push_back(name_of(members.node(rank), options.names) + "-");
  }
}

double PymemcacheScore::of(std::string_view key, std::size_t rank) const {
  Murmur3Stream hash(0);
  add_text(stems_[rank], hash);
  if (bytes_) {
    add_bytes(key, hash);
  } else {
    add_text(key, hash);
  }
  return hash.value();
}

}  // namespace mcsteady::placement
