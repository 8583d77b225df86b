#include "config/placements.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "config/placement_likes.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using placement::Names;
using placement::PlacementOptions;
using Kind = PlacementOptions::Kind;

/// Names that stand for a recipe of libmemcached's, for those who know no more than these.
struct ShortName {
  std::string_view name;
  std::string_view distribution;
};
constexpr std::array<ShortName, 3> kShortNames = {
    {{"ketama", "ketama"}, {"ketama_weighted", "ketama_weighted"}, {"modula", "modula"}}};

constexpr std::uint64_t kTotalWeightMax = 1'000'000;

const Like* like_of(std::string_view name) {
  const auto likes = placement_likes();
  const auto found = std::ranges::find(likes, name, &Like::name);
  return found == likes.end() ? nullptr : &*found;
}

/// Says which names there are, and which one was most likely meant.
void refuse_name(Section& section, std::string_view key, Mark at, std::string_view name,
                 bool short_ones) {
  std::vector<std::string_view> known;
  if (short_ones) {
    for (const ShortName& one : kShortNames) known.push_back(one.name);
  }
  for (const Like& like : placement_likes()) known.push_back(like.name);
  const std::string_view meant = nearest(name, known);
  section.error(at, key,
                quoted(name) + " is none of " + joined(known) +
                    (meant.empty() ? "" : "; did you mean '" + std::string(meant) + "'?"));
}

/// The prefix that the client puts on the wire and does not hash: as text, or true beside `prefix`.
void read_unhashed_prefix(Section& section, PlacementOptions& out) {
  std::string prefix, unhashed;
  section.read_text("prefix", prefix);
  section.read_text("hash_without_prefix", unhashed);
  if (!section.has("hash_without_prefix")) {
    if (section.has("prefix")) {
      section.error(section.mark_of("prefix"), "prefix",
                    "is hashed like the rest of a key; add hash_without_prefix: true");
    }
    return;
  }
  if (unhashed == "true" && !section.has("prefix")) {
    section.error(section.mark_of("hash_without_prefix"), "hash_without_prefix",
                  "which one? write hash_without_prefix: \"app:\"");
  }
  if (unhashed != "true" && section.has("prefix")) {
    section.error(section.mark_of("prefix"), "prefix",
                  "is given twice; write it in hash_without_prefix alone");
  }
  out.key.prefix_ignored = section.has("prefix") ? prefix : unhashed;
}

ServerFacts facts_of(const routing::PoolOptions& options) {
  return {.weighted = std::ranges::any_of(options.servers,
                                          [](const auto& server) { return server.weight != 1; })};
}

void read_map(const YamlNode& node, ErrorList& errors, routing::PoolOptions& options) {
  Section section(&node, "placement", errors);
  const auto name = section.scalar("like", "the name of a client or a proxy");
  if (!name) {
    if (!section.has("like")) {
      section.error(node.mark, "like", "missing; write { like: twemproxy, hash: md5 }");
    }
    return;
  }
  const Like* const like = like_of(*name);
  if (like == nullptr) {
    return refuse_name(section, "like", section.find("like")->value->mark, *name, false);
  }
  like->read(section, facts_of(options), options.placement);
  read_unhashed_prefix(section, options.placement);
  section.finish();
}

void read_word(Section& pool, const YamlNode& node, routing::PoolOptions& options,
               ErrorList& errors) {
  YamlNode like, name = node, word, distribution;
  like.kind = word.kind = distribution.kind = YamlNode::Kind::Scalar;
  like.text = "like";
  YamlNode map;
  map.kind = YamlNode::Kind::Map;
  map.mark = like.mark = word.mark = distribution.mark = node.mark;
  map.items = {&like, &name};
  for (const ShortName& one : kShortNames) {
    if (one.name != node.text) continue;
    name.text = "libmemcached";
    word.text = "distribution";
    distribution.text = one.distribution;
    map.items.insert(map.items.end(), {&word, &distribution});
  }
  if (like_of(name.text) == nullptr) {
    return refuse_name(pool, "placement", node.mark, node.text, true);
  }
  read_map(map, errors, options);
}

/// What only shows once the servers are known.
void check_servers(Section& pool, Mark at, const routing::PoolOptions& options) {
  const PlacementOptions& how = options.placement;
  const bool repeats = (how.kind == Kind::Modula && how.weighted_slots) ||
                       (how.kind == Kind::Ketama && how.ring == PlacementOptions::Ring::Digests &&
                        how.weighted_points);
  std::uint64_t total_weight = 0;
  for (const auto& server : options.servers) total_weight += server.weight;
  if (repeats && total_weight > kTotalWeightMax / (how.kind == Kind::Ketama ? 100 : 1)) {
    pool.error(at, "placement",
               "weights of " + std::to_string(total_weight) +
                   " in all are too many for a placement that repeats a server as often as its "
                   "weight says; divide them by what they have in common");
  }
  if (how.weights.size() > options.servers.size()) {
    pool.error(at, "weights",
               std::to_string(how.weights.size()) + " for " +
                   std::to_string(options.servers.size()) + " servers; one a server belongs here");
  }
}

/// Java's rings hold the address that a name had when the client looked it up.
void check_addresses(Section& pool, Mark at, const routing::PoolOptions& options) {
  const PlacementOptions& how = options.placement;
  const bool needs_ip = how.kind == Kind::Ketama &&
                        (how.names == Names::Spymemcached || how.names == Names::Xmemcached ||
                         how.names == Names::XmemcachedNginx);
  if (!needs_ip || options.servers.size() < 2) return;
  for (const auto& server : options.servers) {
    const net::Endpoint& endpoint = server.server.endpoint;
    if (endpoint.is_unix() || !server.ip.empty() || net::numeric_address(endpoint)) continue;
    pool.error(at, "placement",
               "the ring holds the address that a client looked up for " + quoted(endpoint.host) +
                   "; give it, as in servers: [{ address: " + endpoint.text() +
                   ", ip: 10.0.0.1 }]");
    return;
  }
}

std::string in_flow(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::Scalar) return in_yaml(node.text);
  std::string text;
  const bool is_map = node.kind == YamlNode::Kind::Map;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) text += is_map && i % 2 == 1 ? ": " : ", ";
    text += in_flow(*node.items[i]);
  }
  return is_map ? "{ " + text + " }" : "[" + text + "]";
}

}  // namespace

void read_placement(Section& pool, routing::PoolOptions& options) {
  const auto entry = pool.find("placement");
  if (!entry) return;
  const YamlNode& node = *entry->value;
  const std::size_t errors_before = pool.errors().size();
  if (node.kind == YamlNode::Kind::Map) {
    read_map(node, pool.errors(), options);
  } else if (const auto word = pool.scalar("placement", "a name, or a map with like: NAME,")) {
    read_word(pool, node, options, pool.errors());
  }
  if (pool.errors().size() != errors_before) return;
  check_servers(pool, node.mark, options);
  check_addresses(pool, node.mark, options);
  options.placement_text = in_flow(node);
}

}  // namespace mcsteady::config
