#include "placement/key_part.h"

namespace mcsteady::placement {
namespace {

constexpr auto npos = std::string_view::npos;

/// "foo" of "/region/cluster/foo".
std::string_view without_routing_prefix(std::string_view key) {
  if (!key.starts_with('/')) return key;
  const std::size_t second = key.find('/', 1);
  const std::size_t third = second == npos ? npos : key.find('/', second + 1);
  return third == npos ? key : key.substr(third + 1);
}

/// Only the first opening character counts, and the first closing one after it.
std::string_view tagged(std::string_view key, const KeyPart& rule) {
  const std::size_t opening = key.find(rule.tag[0]);
  if (opening == npos) return key;
  const std::size_t closing = key.find(rule.tag[1], opening + 1);
  if (closing == npos) return key;
  const std::string_view between = key.substr(opening + 1, closing - opening - 1);
  return between.empty() && !rule.empty_tag_counts ? key : between;
}

}  // namespace

std::string_view part_of(std::string_view key, const KeyPart& rule) {
  if (!rule.prefix_ignored.empty() && key.starts_with(rule.prefix_ignored)) {
    key.remove_prefix(rule.prefix_ignored.size());
  }
  if (rule.routing_prefix) key = without_routing_prefix(key);
  if (!rule.tag.empty()) key = tagged(key, rule);
  if (!rule.stop.empty()) key = key.substr(0, key.find(rule.stop));
  return key;
}

}  // namespace mcsteady::placement
