#include <array>
#include <cstdint>

#include "mcsteady/protocol/request.h"
#include "protocol/meta/flags.h"

namespace mcsteady::protocol {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> make_digits() {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr auto kDigitValues = make_digits();

}  // namespace

std::string_view raw_key(Verb verb, std::string_view line, std::string_view key,
                         std::span<char, kRawKeyMax> room) {
  if (!is_meta(verb) || !meta::has_base64_key(line, verb == Verb::MetaSet)) return key;
  std::uint32_t bits = 0;
  int bit_count = 0;
  std::size_t size = 0;
  while (key.ends_with('=')) key.remove_suffix(1);
  for (const char digit : key) {
    const std::uint8_t value = kDigitValues[static_cast<unsigned char>(digit)];
    if (value == kNoDigit || size == room.size()) break;  // a server refuses it
    bits = (bits << 6U | value) & 0xffffU;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    room[size++] = static_cast<char>(bits >> static_cast<unsigned>(bit_count) & 0xffU);
  }
  return {room.data(), size};
}

}  // namespace mcsteady::protocol
