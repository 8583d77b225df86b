// The routes that change what a client wrote, and how much: rewrite, the short lives of a failover,
// rate_limit, coalesce.

#include <algorithm>
#include <array>

#include "config/routes.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using routing::RouteOptions;
using Kind = RouteOptions::Kind;

constexpr std::array<Choice<bool>, 2> kOver = {{{"error", false}, {"miss", true}}};
constexpr std::size_t kPrefixMax = 249;  // leaves a byte of the key

std::string read_prefix(Section& section, std::string_view key) {
  std::string text;
  section.read_text(key, text);
  const bool is_possible = text.size() <= kPrefixMax && std::ranges::none_of(text, [](char c) {
                             return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
                           });
  if (!is_possible) {
    section.error(section.mark_of(key), key,
                  "no key begins with " + quoted(text) +
                      "; keys have up to 250 bytes, no blanks and no control bytes");
  }
  return text;
}

std::chrono::seconds read_ttl_max(Section& section) {
  Duration ttl_max{0};
  section.read_duration("ttl_max", ttl_max, Zero::Refused);
  return std::chrono::ceil<std::chrono::seconds>(ttl_max);
}
}  // namespace

RouteOptions RouteReader::read_rewrite(Section& section) {
  auto child = read_child(section, "route");
  RouteOptions route(Kind::Rewrite);
  Section rewrite = section.subsection("rewrite");
  route.rewrite.strip = read_prefix(rewrite, "strip");
  route.rewrite.add = read_prefix(rewrite, "add");
  route.rewrite.ttl_max = read_ttl_max(rewrite);
  const bool changes = route.rewrite.changes_keys() || route.rewrite.ttl_max.count() > 0;
  if (rewrite.is_sound() && !changes) {
    rewrite.error(section.mark_of("rewrite"), "rewrite",
                  "changes nothing; give strip, add or ttl_max");
  }
  rewrite.finish();
  route.children.push_back(child ? std::move(*child) : fallback());
  return route;
}

RouteOptions RouteReader::read_rate_limit(Section& section) {
  auto child = read_child(section, "route");
  RouteOptions route(Kind::RateLimit, "too many requests a second");
  section.read_number("rate_limit", route.per_second, {1, 1'000'000'000});
  route.burst = std::max<std::uint32_t>(1, route.per_second / 10);
  section.read_number("burst", route.burst, {1, 1'000'000'000});
  bool misses = false;
  section.read_choice<bool>("over", misses, kOver);
  if (misses) route.text.clear();
  route.children.push_back(child ? std::move(*child) : fallback());
  return route;
}

RouteOptions RouteReader::read_coalesce(Section& section) {
  RouteOptions route(Kind::Coalesce);
  auto child = read_child(section, "coalesce");
  route.children.push_back(child ? std::move(*child) : fallback());
  return route;
}

/// What is stored anywhere but in the first lives no longer than `ttl_max`.
RouteOptions RouteReader::with_ttl_max(Section& section, RouteOptions failover) {
  const std::chrono::seconds ttl_max = read_ttl_max(section);
  if (ttl_max.count() == 0) return failover;
  for (std::size_t i = 1; i < failover.children.size(); ++i) {
    RouteOptions shortened(Kind::Rewrite);
    shortened.rewrite.ttl_max = ttl_max;
    shortened.children.push_back(std::move(failover.children[i]));
    failover.children[i] = std::move(shortened);
  }
  return failover;
}

}  // namespace mcsteady::config
