#include "mcsteady/routing/route.h"

#include <algorithm>

namespace mcsteady::routing {

namespace {
using Kind = RouteOptions::Kind;

const Route* with_longest_prefix(const std::vector<Route::Prefix>& prefixes, std::string_view key) {
  // All that begin with the wanted one, and sort before the key, have it among their shorter ones.
  const auto behind = std::upper_bound(
      prefixes.begin(), prefixes.end(), key,
      [](std::string_view text, const Route::Prefix& prefix) { return text < prefix.text; });
  auto at = static_cast<std::size_t>(behind - prefixes.begin()) - 1;
  while (!key.starts_with(prefixes[at].text)) at = prefixes[at].shorter;
  return prefixes[at].route;
}

void add(std::size_t pool, std::vector<std::size_t>& pools) {
  if (std::ranges::find(pools, pool) == pools.end()) pools.push_back(pool);
}

void gather(const Route& from, protocol::Verb verb, RouteTree::Reach& reach) {
  switch (from.kind) {
    case Kind::Pool:
      return add(from.pool, reach.pools);
    case Kind::Null:
      return;
    case Kind::Error:
      if (reach.error == nullptr) reach.error = &from;
      return;
    case Kind::ByCommand:
      return gather(*from.by_verb[index_of(verb)], verb, reach);
    case Kind::Shadow:  // its copies may not fail what the client asked for
      return gather(*from.children.front(), verb, reach);
    default:
      for (const Route* child : from.children) gather(*child, verb, reach);
  }
}
}  // namespace

bool Route::copies(std::string_view key) const {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash ^= hash >> 32;  // its low bits alone are no good
  return hash % RouteOptions::kWhole < share;
}

RouteTree::RouteTree(const RouteOptions& options) {
  root_ = compile(options);
}

const Route* RouteTree::compile(const RouteOptions& options) {
  routes_.push_back(std::make_unique<Route>());
  Route& route = *routes_.back();
  route.kind = options.kind;
  route.failover = options.failover;
  route.answer = options.answer;
  route.read = options.read;
  route.until = options.until;
  route.fill = options.fill;
  route.share = options.share;
  route.rewrite = options.rewrite;
  route.per_second = options.per_second;
  route.burst = options.burst;
  if (options.kind == Kind::Pool) {
    route.pool = number_of(options.text);
  } else {
    route.text = options.text;
  }
  for (const RouteOptions& child : options.children) route.children.push_back(compile(child));
  if (options.kind == Kind::ByPrefix) compile_prefixes(options, route);
  for (std::size_t i = 0; i < options.commands.size(); ++i) {
    for (std::size_t verb = 0; verb < protocol::kVerbCount; ++verb) {
      if (options.commands[i].test(verb)) route.by_verb[verb] = route.children[i];
    }
  }
  return &route;
}

void RouteTree::compile_prefixes(const RouteOptions& options, Route& route) {
  for (std::size_t i = 0; i < options.prefixes.size(); ++i) {
    route.prefixes.push_back({options.prefixes[i], 0, route.children[i]});
  }
  std::ranges::sort(route.prefixes, {}, &Route::Prefix::text);
  for (std::size_t i = 1; i < route.prefixes.size(); ++i) {
    std::size_t shorter = i - 1;
    while (!route.prefixes[i].text.starts_with(route.prefixes[shorter].text)) {
      shorter = route.prefixes[shorter].shorter;
    }
    route.prefixes[i].shorter = shorter;
  }
}

std::size_t RouteTree::number_of(const std::string& pool) {
  const auto found = std::ranges::find(pools_, pool);
  const auto number = static_cast<std::size_t>(found - pools_.begin());
  if (found == pools_.end()) pools_.push_back(pool);
  return number;
}

const Route& RouteTree::select(const Route& from, protocol::Verb verb, std::string_view key) {
  const Route* at = &from;
  for (;;) {
    if (at->kind == Kind::ByPrefix) {
      at = with_longest_prefix(at->prefixes, key);
    } else if (at->kind == Kind::ByCommand) {
      at = at->by_verb[index_of(verb)];
    } else {
      return *at;
    }
  }
}

RouteTree::Reach RouteTree::reach(protocol::Verb verb) const {
  Reach reach;
  gather(*root_, verb, reach);
  return reach;
}

}  // namespace mcsteady::routing
