#include "config/routes.h"

#include <algorithm>
#include <array>

#include "config/failover_causes.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using protocol::Verb;
using routing::RouteOptions;
using routing::VerbSet;
using Kind = RouteOptions::Kind;

constexpr std::size_t kPartsMax = 10000;
constexpr std::size_t kPrefixMax = 250;  // a key has no more
constexpr std::string_view kNowhere = "nowhere";
constexpr std::string_view kOtherwise = "otherwise";
constexpr std::array<std::string_view, 12> kKinds = {
    "by_prefix", "by_command", "failover", "replicate", "migrate", "shadow",
    "rewrite",   "rate_limit", "coalesce", "error",     "allow",   "deny"};

VerbSet all_verbs() {
  return VerbSet{}.set();
}

VerbSet reads() {
  VerbSet verbs;
  for (const Verb verb :
       {Verb::Get, Verb::Gets, Verb::Gat, Verb::Gats, Verb::MetaGet, Verb::MetaDebug}) {
    verbs.set(routing::index_of(verb));
  }
  return verbs;
}

/// The commands that a route is asked about, by name.
std::vector<std::string_view> routed_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < protocol::kVerbCount; ++i) {
    const auto verb = static_cast<Verb>(i);
    const bool is_ours = verb == Verb::MetaNoop || verb == Verb::Version ||
                         verb == Verb::Verbosity || verb == Verb::Stats || verb == Verb::Quit;
    if (!is_ours) names.push_back(to_string(verb));
  }
  return names;
}

std::optional<VerbSet> verb_set_named(std::string_view word) {
  if (word == kOtherwise) return all_verbs();
  if (word == "reads") return reads();
  if (word == "writes") return ~reads();
  const auto names = routed_names();
  if (std::ranges::find(names, word) == names.end()) return std::nullopt;
  VerbSet verbs;
  for (std::size_t i = 0; i < protocol::kVerbCount; ++i) {
    if (to_string(static_cast<Verb>(i)) == word) verbs.set(i);
  }
  return verbs;
}

/// What is said of one command goes before what is said of a group, and that before the rest.
std::size_t breadth_of(const VerbSet& verbs) {
  if (verbs.all()) return 2;
  return verbs.count() > 1 ? 1 : 0;
}

std::string unknown_command(std::string_view word) {
  auto names = routed_names();
  names.insert(names.end(), {"reads", "writes", kOtherwise});
  const std::string_view meant = nearest(word, names);
  return quoted(word) + " is no command" +
         (meant.empty() ? "; there are " + joined(names)
                        : "; did you mean '" + std::string(meant) + "'?");
}

std::size_t count_parts(const RouteOptions& route) {
  std::size_t count = 1;
  for (const RouteOptions& child : route.children) count += count_parts(child);
  return count;
}

/// `inner`, but for the commands in `verbs`, which get `other`.
RouteOptions with_commands(VerbSet verbs, RouteOptions other, RouteOptions inner) {
  RouteOptions route(Kind::ByCommand);
  route.children = {std::move(other), std::move(inner)};
  route.commands = {verbs, ~verbs};
  return route;
}

/// `special` for keys with one of the prefixes, `other` for the rest.
RouteOptions with_prefixes(std::vector<std::string> prefixes, const RouteOptions& special,
                           RouteOptions other) {
  RouteOptions route(Kind::ByPrefix);
  route.children.assign(prefixes.size(), special);
  route.prefixes = std::move(prefixes);
  const auto everything = std::ranges::find(route.prefixes, "");
  if (everything != route.prefixes.end()) return route;
  route.prefixes.emplace_back();
  route.children.push_back(std::move(other));
  return route;
}

}  // namespace

std::string names_of(const std::vector<routing::PoolOptions>& pools) {
  std::string names;
  for (const auto& pool : pools) names += (names.empty() ? "" : ", ") + quoted(pool.name);
  return names;
}

bool is_pool(const std::vector<routing::PoolOptions>& pools, std::string_view name) {
  return std::any_of(pools.begin(), pools.end(), [&](const auto& p) { return p.name == name; });
}

RouteReader::RouteReader(const std::vector<routing::PoolOptions>& pools, const YamlNode* named,
                         std::string zone, ErrorList& errors)
    : pools_(pools), zone_(std::move(zone)), errors_(errors) {
  if (named == nullptr) return;
  const Section section(named, "routes", errors);  // for its errors: no map, double names
  if (named->kind != YamlNode::Kind::Map) return;
  for (std::size_t i = 0; i + 1 < named->items.size(); i += 2) {
    const YamlNode& name = *named->items[i];
    if (is_pool(pools, name.text)) {
      errors.add(name.mark, "routes: " + quoted(name.text) +
                                " is the name of a pool already; give the route another one");
    }
    named_.try_emplace(name.text, Named{.node = named->items[i + 1]});
  }
}

/// What stands in for a route that could not be read.
RouteOptions RouteReader::fallback() const {
  return pools_.empty() ? RouteOptions(Kind::Null) : RouteOptions(pools_.front().name);
}

RouteOptions RouteReader::read(const YamlNode& node) {
  if (++parts_ > kPartsMax) {
    if (parts_ == kPartsMax + 1) {
      errors_.add(node.mark, "route: the tree has more than 10000 parts; no use is known for that");
    }
    return fallback();
  }
  switch (node.kind) {
    case YamlNode::Kind::Scalar:
      return read_name(node);
    case YamlNode::Kind::Map:
      return read_map(node);
    default:
      errors_.add(node.mark, "route: " + std::string(kind_name(node)) +
                                 " where a route belongs; name a pool, or write a map like "
                                 "{ by_prefix: { \"user:\": users, \"\": main } }");
      return fallback();
  }
}

RouteOptions RouteReader::read_name(const YamlNode& node) {
  if (is_pool(pools_, node.text)) return {node.text};
  if (const auto named = named_.find(node.text); named != named_.end()) {
    return read_named(named->first, named->second, node.mark);
  }
  if (node.text == kNowhere) return RouteOptions(Kind::Null);
  if (!pools_.empty()) {
    errors_.add(node.mark, "route: " + quoted(node.text) + " is no pool" +
                               (named_.empty() ? "" : " and no route") + "; there is " +
                               names_of(pools_));
  }
  return fallback();
}

RouteOptions RouteReader::read_named(const std::string& name, Named& named, Mark at) {
  if (named.is_being_read) {
    errors_.add(at, "route: " + quoted(name) + " leads back to itself; end it in a pool");
    return fallback();
  }
  if (!named.route) {
    named.is_being_read = true;
    named.route = read(*named.node);
    named.is_being_read = false;
  } else {
    parts_ += std::min(count_parts(*named.route), kPartsMax - std::min(parts_, kPartsMax));
  }
  return *named.route;
}

void RouteReader::read_unused() {
  for (auto& [name, named] : named_) {
    if (!named.route) named.route = read(*named.node);
  }
}

RouteOptions RouteReader::read_map(const YamlNode& node) {
  Section section(&node, "route", errors_);
  std::vector<std::string_view> given;
  for (const std::string_view kind : kKinds) {
    if (section.has(kind)) given.push_back(kind);
  }
  if (given.size() != 1) {
    const std::string fault = given.empty()
                                  ? "says nowhere what it is; one of " + joined(kKinds) + " does"
                                  : "is both " + joined(given) + "; put one into the other";
    errors_.add(node.mark, "route: " + fault);
    return fallback();
  }
  RouteOptions route;
  if (given.front() == "by_prefix") route = read_by_prefix(section);
  if (given.front() == "by_command") route = read_by_command(section);
  if (given.front() == "failover") route = read_failover(section);
  if (given.front() == "replicate") route = read_replicate(section);
  if (given.front() == "migrate") route = read_migrate(section);
  if (given.front() == "shadow") route = read_shadow(section);
  if (given.front() == "rewrite") route = read_rewrite(section);
  if (given.front() == "rate_limit") route = read_rate_limit(section);
  if (given.front() == "coalesce") route = read_coalesce(section);
  if (given.front() == "error") route = read_error(section);
  if (given.front() == "allow") route = read_guard(section, "allow", true);
  if (given.front() == "deny") route = read_guard(section, "deny", false);
  section.finish();
  return route;
}

std::optional<RouteOptions> RouteReader::read_child(Section& section, std::string_view key) {
  if (const auto entry = section.find(key)) return read(*entry->value);
  if (!section.has(key)) {
    section.error(section.mark_of(key), key, "missing; it says where the requests go");
  }
  return std::nullopt;
}

RouteOptions RouteReader::read_error(Section& section) {
  RouteOptions route(Kind::Error);
  section.read_text("error", route.text);
  return route;
}

RouteOptions RouteReader::read_by_prefix(Section& section) {
  const auto entry = section.find("by_prefix");
  if (!entry) return fallback();
  const YamlNode& map = *entry->value;
  const Section doubles(&map, "by_prefix", errors_);  // for its errors: no map, double prefixes
  RouteOptions route(Kind::ByPrefix);
  if (map.kind != YamlNode::Kind::Map) return fallback();
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const YamlNode& prefix = *map.items[i];
    if (std::ranges::find(route.prefixes, prefix.text) != route.prefixes.end()) continue;
    const bool is_possible =
        prefix.text.size() <= kPrefixMax && std::ranges::none_of(prefix.text, [](char c) {
          return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
        });
    if (!is_possible) {
      errors_.add(prefix.mark, "by_prefix: no key begins with " + quoted(prefix.text) +
                                   "; keys have up to 250 bytes, no blanks and no control bytes");
    }
    route.prefixes.push_back(prefix.text);
    route.children.push_back(read(*map.items[i + 1]));
  }
  if (std::ranges::find(route.prefixes, "") == route.prefixes.end()) {
    section.error(entry->key, "by_prefix",
                  "does not say where all other keys go; add \"\": a pool, or nowhere");
    return fallback();
  }
  return route;
}

RouteOptions RouteReader::read_by_command(Section& section) {
  const auto entry = section.find("by_command");
  if (!entry) return fallback();
  const YamlNode& map = *entry->value;
  const Section doubles(&map, "by_command", errors_);  // for its errors
  if (map.kind != YamlNode::Kind::Map) return fallback();
  RouteOptions route(Kind::ByCommand);
  std::array<VerbSet, 3> taken;  // by single commands, by groups, by the rest
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const YamlNode& word = *map.items[i];
    const auto verbs = verb_set_named(word.text);
    if (!verbs) errors_.add(word.mark, "by_command: " + unknown_command(word.text));
    route.commands.push_back(verbs.value_or(VerbSet{}));
    route.children.push_back(read(*map.items[i + 1]));
    taken[breadth_of(route.commands.back())] |= route.commands.back();
  }
  for (VerbSet& verbs : route.commands) {
    const std::size_t breadth = breadth_of(verbs);
    for (std::size_t narrower = 0; narrower < breadth; ++narrower) verbs &= ~taken[narrower];
  }
  if (section.is_sound() && !(taken[0] | taken[1] | taken[2]).all()) {
    section.error(entry->key, "by_command",
                  "does not say where all other commands go; add otherwise: a pool, or nowhere");
    return fallback();
  }
  return route;
}

RouteOptions RouteReader::read_failover(Section& section) {
  RouteOptions route(Kind::Failover);
  read_causes(section, route.failover);
  const auto entry = section.find("failover");
  if (!entry) return fallback();
  if (entry->value->kind != YamlNode::Kind::List || entry->value->items.size() < 2) {
    section.error(entry->value->mark, "failover",
                  "takes a list of two routes or more, in the order in which they are asked");
    return fallback();
  }
  for (const YamlNode* item : entry->value->items) route.children.push_back(read(*item));
  return with_ttl_max(section, std::move(route));
}

/// By default every failure, and no miss.
void RouteReader::read_causes(Section& section, routing::FailoverRule& rule) {
  if (!section.has("on")) {
    for (const FailoverCause& cause : kFailoverCauses) {
      if (!cause.is_miss) add(cause, rule);
    }
  }
  std::vector<std::string_view> known;
  known.reserve(kFailoverCauses.size());
  for (const FailoverCause& cause : kFailoverCauses) known.push_back(cause.word);
  for (const std::string& word : read_words(section, "on")) {
    const auto cause = std::ranges::find(kFailoverCauses, word, &FailoverCause::word);
    if (cause != kFailoverCauses.end()) {
      add(*cause, rule);
    } else {
      section.error(section.mark_of("on"), "on", quoted(word) + " is none of " + joined(known));
    }
  }
}

std::vector<std::string> RouteReader::read_words(Section& section, std::string_view key) {
  std::vector<std::string> words;
  const auto entry = section.find(key);
  if (!entry) return words;
  if (entry->value->kind == YamlNode::Kind::Scalar) return {entry->value->text};
  if (entry->value->kind != YamlNode::Kind::List) {
    section.error(entry->value->mark, key,
                  std::string(kind_name(*entry->value)) + " where a list belongs");
    return words;
  }
  for (const YamlNode* item : entry->value->items) {
    if (std::ranges::find(words, item->text) != words.end()) {
      section.error(item->mark, key, quoted(item->text) + " is given twice; keep one");
    } else if (item->kind != YamlNode::Kind::Scalar) {
      section.error(item->mark, key, std::string(kind_name(*item)) + " where a word belongs");
    } else {
      words.push_back(item->text);
    }
  }
  return words;
}

void RouteReader::read_verbs(Section& section, VerbSet& verbs) {
  for (const std::string& word : read_words(section, "commands")) {
    const auto named = verb_set_named(word);
    if (named && word != kOtherwise) {
      verbs |= *named;
    } else {
      section.error(section.mark_of("commands"), "commands", unknown_command(word));
    }
  }
}

/// `allow` and `deny`: commands, or keys by their prefixes, that are refused, or all others.
RouteOptions RouteReader::read_guard(Section& section, std::string_view key, bool allows) {
  auto inner = read_child(section, "route");
  Section rule = section.subsection(key);
  RouteOptions refusal(Kind::Error, "not allowed by the route");
  rule.read_text("message", refusal.text);
  VerbSet verbs;
  read_verbs(rule, verbs);
  const std::vector<std::string> prefixes = read_words(rule, "prefixes");
  if (rule.is_sound() && verbs.none() && prefixes.empty()) {
    rule.error(section.mark_of(key), key, "names nothing; give commands, prefixes or both");
  }
  RouteOptions route = inner.value_or(fallback());
  if (allows) {
    if (!prefixes.empty()) route = with_prefixes(prefixes, route, refusal);
    if (verbs.any()) route = with_commands(~verbs, refusal, std::move(route));
  } else {
    if (!prefixes.empty()) route = with_prefixes(prefixes, refusal, std::move(route));
    if (verbs.any()) route = with_commands(verbs, refusal, std::move(route));
  }
  rule.finish();
  return route;
}

}  // namespace mcsteady::config
