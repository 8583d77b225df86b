#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/protocol/request.h"
#include "mcsteady/protocol/rewrite.h"
#include "mcsteady/routing/failover_rule.h"

namespace mcsteady::routing {

using VerbSet = std::bitset<protocol::kVerbCount>;
constexpr std::size_t index_of(protocol::Verb verb) {
  return static_cast<std::size_t>(verb);
}

/// Where requests go, as it is configured: a pool, or a tree whose leaves are pools.
struct RouteOptions {
  enum class Kind : std::uint8_t {
    Pool,       // the pool called `text`
    Null,       // nowhere: reads miss, writes are not done
    Error,      // nowhere: clients are told `text`
    ByPrefix,   // the child with the longest of `prefixes` that the key begins with
    ByCommand,  // the child whose set of `commands` has the verb
    Failover,   // the first child that answers, by the rule `failover`
    Replicate,  // writes: all children, and `answer` tells which one's reply counts; reads go
                // as `read` says
    Migrate,    // children: new, old. As Replicate until `until`; then only the new
    RateLimit,  // the child, for so many requests a second; what is more is refused with `text`, or
                // is answered as Null would where that is empty
    Rewrite,    // the child, with the key or the time to live changed as `rewrite` says
    Coalesce,   // the child, which is asked once for all who read a key at a time
    Shadow,     // children: one that answers, and one that is sent a copy for `share` of the keys
  };
  /// Whose reply to a write the client gets. Of several, the worst: a failure, then the line that
  /// says that it was not done.
  enum class Answer : std::uint8_t {
    First,     // of whichever replies first
    Majority,  // of those that are more than half, as soon as they are
    All,       // the worst of all
    Main,      // of the first child
  };
  /// Who is asked for what is read.
  enum class Read : std::uint8_t {
    First,    // the first child, and then the others by the rule `failover`
    Spread,   // likewise, but each request begins with another child
    Fastest,  // likewise, but it begins with the one that has been the quickest lately
    All,      // all at once: the first hit counts
  };
  RouteOptions() = default;
  RouteOptions(std::string pool) : text(std::move(pool)) {}  // NOLINT(*-explicit-*): a pool is one
  explicit RouteOptions(Kind of) : kind(of) {}
  RouteOptions(Kind of, std::string its_text) : kind(of), text(std::move(its_text)) {}

  Kind kind = Kind::Pool;
  std::string text{};
  std::vector<RouteOptions> children{};
  std::vector<std::string> prefixes{};  // ByPrefix: of each child; one of them is "", for the rest
  std::vector<VerbSet> commands{};      // ByCommand: of each child; together all there are
  FailoverRule failover{};
  Answer answer = Answer::All;
  Read read = Read::First;
  std::optional<std::chrono::system_clock::time_point> until{};
  std::chrono::seconds fill{0};  // Migrate: how long the new keeps what the old had; 0: not filled
  std::uint32_t share = kWhole;  // Shadow: of kWhole keys
  protocol::Rewrite rewrite{};
  std::uint32_t per_second = 0;  // RateLimit: of all workers together, which share it evenly
  std::uint32_t burst = 0;       // at once, after a pause; likewise
  static constexpr std::uint32_t kWhole = 10000;
};

/// A part of a RouteTree.
struct Route {
  RouteOptions::Kind kind = RouteOptions::Kind::Pool;
  std::size_t pool = 0;  // Pool: its number in RouteTree::pools()
  std::string text;      // Error
  std::vector<const Route*> children;
  FailoverRule failover;

  struct Prefix {
    std::string text;
    std::size_t shorter;  // the number of the longest other one that this begins with
    const Route* route;
  };
  std::vector<Prefix> prefixes;                              // ByPrefix, sorted, "" first
  std::array<const Route*, protocol::kVerbCount> by_verb{};  // ByCommand

  // As in RouteOptions.
  RouteOptions::Answer answer = RouteOptions::Answer::All;
  RouteOptions::Read read = RouteOptions::Read::First;
  std::optional<std::chrono::system_clock::time_point> until;
  std::chrono::seconds fill{0};
  std::uint32_t share = RouteOptions::kWhole;
  protocol::Rewrite rewrite;
  std::uint32_t per_second = 0;
  std::uint32_t burst = 0;
  /// Shadow: whether the key is one of those whose requests are copied. By a hash of it, so that
  /// the copies of a key are all there or none.
  bool copies(std::string_view key) const;
};

/// The configured tree, ready to be asked. Immutable and pure. Threads: any.
class RouteTree {
 public:
  explicit RouteTree(const RouteOptions& options);
  RouteTree(const RouteTree&) = delete;
  RouteTree& operator=(const RouteTree&) = delete;

  const Route& root() const { return *root_; }
  /// The names of the pools that it can reach, each once.
  const std::vector<std::string>& pools() const { return pools_; }

  /// The route below `from` (or itself) that acts on a request: not one that only chooses.
  /// `key`: its bytes, not base64. O(length of the key); allocates nothing.
  static const Route& select(const Route& from, protocol::Verb verb, std::string_view key);

  /// What a command without a key reaches.
  struct Reach {
    std::vector<std::size_t> pools;  // their numbers, each once
    const Route* error = nullptr;    // an Error that refuses it
  };
  Reach reach(protocol::Verb verb) const;

 private:
  const Route* compile(const RouteOptions& options);
  void compile_prefixes(const RouteOptions& options, Route& route);
  std::size_t number_of(const std::string& pool);

  std::vector<std::unique_ptr<Route>> routes_;
  std::vector<std::string> pools_;
  const Route* root_ = nullptr;
};

}  // namespace mcsteady::routing
