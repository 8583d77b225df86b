#include "placement/ch3.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "placement/murmur.h"
#include "placement/spooky.h"

namespace mcsteady::placement {
namespace {

constexpr std::uint64_t kMurmurSeed = 4193360111;
constexpr std::uint32_t kSpookySeed = 0xface2014;
constexpr std::uint32_t kTries = 32;
constexpr unsigned kBitsToNextDigit = 23;  // FURC_SHIFT: the bits of the largest list

/// An endless row of bits made from a key: word after word, each the hash of the one before.
class BitRow {
 public:
  explicit BitRow(std::string_view key) { words_[0] = murmur64a(key, kMurmurSeed); }
  std::uint32_t operator[](std::size_t index) {
    const std::size_t wanted = index / 64;
    for (; last_ < wanted; ++last_) {
      std::array<char, 8> bytes;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(words_[last_] >> i * 8 & 0xff);
      }
      words_[last_ + 1] = murmur64a({bytes.data(), bytes.size()}, kMurmurSeed);
    }
    return static_cast<std::uint32_t>(words_[wanted] >> index % 64 & 1);
  }

 private:
  // At most 32 tries of 24 strides of 23 bits.
  static constexpr std::size_t kWordsMax = kTries * 24 * kBitsToNextDigit / 64 + 2;
  std::array<std::uint64_t, kWordsMax> words_;
  std::size_t last_ = 0;
};

}  // namespace

std::size_t furc_hash(std::string_view key, std::size_t count) {
  if (count <= 1) return 0;
  BitRow bits(key);
  auto digits = static_cast<std::size_t>(std::bit_width(count - 1));
  std::size_t at = digits;
  for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
    while (bits[at] == 0) {
      if (--digits == 0) return 0;
      at = digits;
    }
    at += kBitsToNextDigit;
    std::size_t number = 1;
    for (std::size_t i = 1; i < digits; ++i, at += kBitsToNextDigit)
      number = number << 1 | bits[at];
    if (number < count) return number;
  }
  return 0;
}

std::size_t ConstShard::of(std::string_view text) const {
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  if (second == text.npos) return Ch3::of(text);
  const std::string_view shard = text.substr(first + 1, second - first - 1);
  std::uint64_t number = 0;
  const auto [rest, failure] = std::from_chars(shard.data(), shard.data() + shard.size(), number);
  const bool is_number = failure == std::errc{} && rest == shard.data() + shard.size();
  return is_number && number < positions().size() ? positions()[number] : Ch3::of(text);
}

WeightedCh3::WeightedCh3(const Members& members) : Ch3(members) {
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    shares_.push_back(
        static_cast<std::uint32_t>(std::clamp(members.weight(rank), 0.0, 1.0) * 4294967295.0));
  }
}

std::size_t WeightedCh3::of(std::string_view text) const {
  std::size_t rank = 0;
  for (std::uint32_t attempt = 0; attempt < kTries; ++attempt) {
    // Behind the key: nothing, then the number of the last try, its digits in reverse.
    std::array<char, 4> digits;
    char* const end =
        std::to_chars(digits.begin(), digits.end(), attempt == 0 ? 0 : attempt - 1).ptr;
    std::reverse(digits.begin(), end);
    const auto size = static_cast<std::size_t>(end - digits.begin());
    const JoinedKey key(text,
                        attempt == 0 ? std::string_view() : std::string_view(digits.data(), size));
    rank = furc_hash(key.view(), positions().size());
    if (spooky32(key.view(), kSpookySeed) < shares_[rank]) break;
  }
  return positions()[rank];
}

}  // namespace mcsteady::placement
