#include "bench/items.h"

#include <charconv>
#include <random>

namespace mcsteady::bench {
namespace {

constexpr std::size_t kDigits = 8;

std::string key_name(const ItemOptions& options, std::size_t number) {
  const std::string digits = std::to_string(number);
  return options.key_prefix + std::string(kDigits - digits.size(), '0') + digits;
}

std::string text_get(const ItemOptions& options, std::size_t first) {
  std::string command = "get";
  for (std::size_t i = 0; i < options.keys_per_get; ++i) {
    command += ' ' + key_name(options, (first + i) % options.key_count);
  }
  return command + "\r\n";
}

/// Several keys as memcached's page recommends it: quiet gets, and a no-op that ends them.
std::string meta_get(const ItemOptions& options, std::size_t first) {
  if (options.keys_per_get == 1) return "mg " + key_name(options, first) + " k v\r\n";
  std::string command;
  for (std::size_t i = 0; i < options.keys_per_get; ++i) {
    command += "mg " + key_name(options, (first + i) % options.key_count) + " k v q\r\n";
  }
  return command + "mn\r\n";
}

std::string set_command_of(const ItemOptions& options, std::size_t number) {
  const std::string size = std::to_string(options.value_size) + "\r\n";
  const std::string key = key_name(options, number);
  return options.dialect == Dialect::Text ? "set " + key + " 0 0 " + size
                                          : "ms " + key + ' ' + size;
}

}  // namespace

Items::Items(const ItemOptions& options) : options_(options) {
  std::minstd_rand random(1);  // the same in every run: a value may be older than this process
  pattern_.resize(options.value_size + kWindows);
  for (char& byte : pattern_) byte = static_cast<char>(random() >> 16);
  for (std::size_t number = 0; number < options.key_count; ++number) {
    gets_.push_back(options.dialect == Dialect::Text ? text_get(options, number)
                                                     : meta_get(options, number));
    sets_.push_back(set_command_of(options, number));
  }
}

std::optional<std::size_t> Items::key_number(std::string_view text) const {
  const std::string& prefix = options_.key_prefix;
  if (!text.starts_with(prefix) || text.size() < prefix.size() + kDigits) return std::nullopt;
  const char* digits = text.data() + prefix.size();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits, digits + kDigits, number);
  if (error != std::errc{} || end != digits + kDigits) return std::nullopt;
  if (number >= options_.key_count) return std::nullopt;
  return number;
}

}  // namespace mcsteady::bench
