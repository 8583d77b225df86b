#include "upstream/large_values.h"

#include <algorithm>

namespace mcsteady::upstream {

namespace {
constexpr std::size_t kEntries = 512;

/// FNV-1a of how the key begins.
std::uint64_t hash_of_beginning(std::string_view key) {
  const std::size_t separator = key.find_last_of(":/.-_|");
  if (separator != std::string_view::npos) key = key.substr(0, separator + 1);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) {
    if (c >= '0' && c <= '9') continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}
}  // namespace

void LargeValues::learn(std::string_view key, std::size_t size) {
  if (entries_.empty()) {
    if (size <= over_) return;
    entries_.resize(kEntries);
  }
  const std::uint64_t beginning = hash_of_beginning(key);
  Entry& entry = entries_[beginning % kEntries];
  if (entry.size != 0 && entry.beginning == beginning) {
    entry.size = std::max(size, entry.size - entry.size / 8);
    if (entry.size <= over_) entry = {};
  } else if (size > over_) {
    entry = {.beginning = beginning, .size = size};
  }
}

bool LargeValues::is_likely(std::string_view key) const {
  if (entries_.empty()) return false;
  const std::uint64_t beginning = hash_of_beginning(key);
  const Entry& entry = entries_[beginning % kEntries];
  return entry.size != 0 && entry.beginning == beginning;
}

}  // namespace mcsteady::upstream
