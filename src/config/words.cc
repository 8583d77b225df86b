#include "config/words.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace mcsteady::config {

namespace {
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == '/' || c == ':' || c == '@';
}
}  // namespace
namespace {

constexpr std::size_t kQuotedMax = 60;

/// How many letters to add, drop or change: Levenshtein's distance.
std::size_t slips(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string joined(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) {
    if (!list.empty()) list += ", ";
    list += word;
  }
  return list;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t fewest = 3;  // from three slips on it is a guess
  for (const std::string_view candidate : known) {
    if (word.size() > candidate.size() + 2) continue;
    const std::size_t count = slips(word, candidate);
    if (count < fewest && count < candidate.size() / 2) {
      best = candidate;
      fewest = count;
    }
  }
  return best;
}

std::string quoted(std::string_view text) {
  std::string shown = "'";
  for (const char byte : text.substr(0, kQuotedMax)) {
    const bool is_control = static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
    shown += is_control ? '?' : byte;
  }
  return shown + (text.size() > kQuotedMax ? "...'" : "'");
}

std::string in_yaml(const std::string& text) {
  const bool is_bare = std::all_of(text.begin(), text.end(), is_plain) && !text.empty() &&
                       std::string_view("-:@.").find(text.front()) == std::string_view::npos &&
                       text.back() != ':' && text != "null" && text != "Null" && text != "NULL";
  if (is_bare) return text;
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

}  // namespace mcsteady::config
