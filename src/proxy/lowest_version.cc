#include "proxy/lowest_version.h"

#include <charconv>
#include <cstdint>

namespace mcsteady::proxy {

namespace {
/// Takes a number and the dot behind it off the front; -1: there is none.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = -1;
  const char* const begin = text.begin();
  const auto [rest, error] = std::from_chars(begin, text.end(), number);
  if (error != std::errc{} || number < 0) return -1;
  text.remove_prefix(static_cast<std::size_t>(rest - begin));
  if (text.starts_with('.')) text.remove_prefix(1);
  return number;
}
}  // namespace

bool is_lower_version(std::string_view a, std::string_view b) {
  while (true) {
    const std::int64_t left = take_number(a);
    const std::int64_t right = take_number(b);
    if (left != right) return left < right;
    if (left < 0) return a < b;
  }
}

}  // namespace mcsteady::proxy
