#include "config/units.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>

#include "config/words.h"

namespace mcsteady::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t scale;
};

constexpr std::array<Unit, 6> kTimes = {{{"h", 3'600'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"s", 1'000'000'000},
                                         {"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1}}};
constexpr std::array<Unit, 4> kSizes = {
    {{"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"B", 1}}};

constexpr std::uint64_t kTimeMax = 24 * 3'600'000'000'000ULL;
constexpr std::uint64_t kSizeMax = 1ULL << 40;

/// A whole number and the word behind it.
struct Quantity {
  std::uint64_t number = 0;
  std::string_view unit;
};

std::optional<Quantity> split(std::string_view text) {
  Quantity quantity;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc{}) return std::nullopt;
  quantity.unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  return quantity;
}

/// Unset: no such unit, or the product is above `max`.
std::optional<std::uint64_t> in_base_unit(const Quantity& quantity, std::span<const Unit> units,
                                          std::uint64_t max) {
  for (const Unit& unit : units) {
    if (unit.name != quantity.unit) continue;
    if (quantity.number > max / unit.scale) return std::nullopt;
    return quantity.number * unit.scale;
  }
  return std::nullopt;
}

bool is_unit(std::string_view name, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (unit.name == name) return true;
  }
  return false;
}

std::string in_largest_unit(std::uint64_t value, std::span<const Unit> units,
                            std::string_view zero) {
  if (value == 0) return std::string(zero);
  for (const Unit& unit : units) {
    if (value % unit.scale == 0) return std::to_string(value / unit.scale) + std::string(unit.name);
  }
  return {};  // not reached: the last scale is 1
}

/// The binary unit for a decimal, or a carelessly written, one.
std::string_view binary_unit(std::string_view unit) {
  if (unit.empty()) return {};
  switch (unit.front()) {
    case 'k':
    case 'K':
      return "KiB";
    case 'm':
    case 'M':
      return "MiB";
    case 'g':
    case 'G':
      return "GiB";
    case 'b':
      return "B";
    default:
      return {};
  }
}

}  // namespace

Result<Duration, std::string> parse_duration(std::string_view text) {
  const std::optional<Quantity> quantity = split(text);
  if (!quantity) {
    return Unexpected{quoted(text) + " is no duration; write a whole number and a unit, as 250ms"};
  }
  if (quantity->unit.empty()) {
    if (quantity->number == 0) return Duration::zero();
    const std::string number = std::to_string(quantity->number);
    return Unexpected{quoted(text) + " has no unit; write " + number + "ms or " + number +
                      "s (units: ns us ms s m h)"};
  }
  if (quantity->unit.front() == '.') {
    return Unexpected{quoted(text) + " has a fraction; write a whole number of a smaller unit"};
  }
  if (!is_unit(quantity->unit, kTimes)) {
    return Unexpected{quoted(text) + " has an unknown unit; use ns, us, ms, s, m or h"};
  }
  const auto value = in_base_unit(*quantity, kTimes, kTimeMax);
  if (!value) return Unexpected{quoted(text) + " is too long; the most is 24h"};
  return Duration(static_cast<Duration::rep>(*value));
}

Result<ByteCount, std::string> parse_size(std::string_view text) {
  const std::optional<Quantity> quantity = split(text);
  if (!quantity) {
    return Unexpected{quoted(text) + " is no size; write a whole number and a unit, as 8MiB"};
  }
  if (quantity->unit.empty()) {
    if (quantity->number == 0) return ByteCount{0};
    const std::string number = std::to_string(quantity->number);
    return Unexpected{quoted(text) + " has no unit; write " + number + "B or " + number +
                      "MiB (units: B KiB MiB GiB)"};
  }
  if (quantity->unit.front() == '.') {
    return Unexpected{quoted(text) + " has a fraction; write a whole number of a smaller unit"};
  }
  if (!is_unit(quantity->unit, kSizes)) {
    const std::string_view meant = binary_unit(quantity->unit);
    if (meant.empty()) {
      return Unexpected{quoted(text) + " has an unknown unit; use B, KiB, MiB or GiB"};
    }
    return Unexpected{quoted(text) + " has an unknown unit; write " +
                      std::to_string(quantity->number) + std::string(meant) +
                      " (units are binary: B KiB MiB GiB)"};
  }
  const auto value = in_base_unit(*quantity, kSizes, kSizeMax);
  if (!value) return Unexpected{quoted(text) + " is too large; the most is 1024GiB"};
  return ByteCount{*value};
}

std::string to_text(Duration duration) {
  return in_largest_unit(static_cast<std::uint64_t>(duration.count()), kTimes, "0s");
}

std::string to_text(ByteCount size) {
  return in_largest_unit(size.value, kSizes, "0B");
}

}  // namespace mcsteady::config
