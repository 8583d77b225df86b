#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mcsteady/placement/options.h"

namespace mcsteady::placement {

/// A server as its clients write it, which is what a ring is made of: the host as given, neither
/// resolved nor changed in case.
struct Node {
  std::string host;        // or the path of a unix socket
  std::uint16_t port = 0;  // 0 for a unix socket
  std::uint32_t weight = 1;
  std::string name = {};  // given to the server, for those whose rings hold names; or empty
  std::string ip = {};    // what the host resolves to, for Java's; empty: the host is one
};

/// Which servers may be used: a byte for each node, in the order of the nodes, 0 where it is down.
using Live = std::span<const std::uint8_t>;

/// Which server a key belongs to. Immutable, hence safe from any thread. Positions are always those
/// in the list that the placement was made from, dead servers counted too.
///
/// Three ways past a dead server, all of them pure, for the pool to choose from:
/// - eject: make_placement() again with the live servers, when one goes or comes, and use place();
/// - rehash: place_rehashed(), for a key whose server is down;
/// - next: place_next(), likewise.
class Placement {
 public:
  virtual ~Placement() = default;

  /// The position of the key's server, dead or alive. One hash and at most one search in a flat
  /// array, but for the rendezvous hashes, which ask every server; allocates nothing.
  virtual std::size_t place(std::string_view key) const = 0;

  /// Where the key goes if it is hashed again, with a number, until a live server is met: by the
  /// rule of the client that this placement is like, or by Dalli's (20 looks) where it has none.
  /// The first look is place(). Unset: no look met a live server, and the client fails the request.
  virtual std::optional<std::size_t> place_rehashed(std::string_view key, Live live) const = 0;

  /// The first live server from the key's own on: along the ring if there is one, else along the
  /// list, and from its end to its front. Unset only if none is live.
  virtual std::optional<std::size_t> place_next(std::string_view key, Live live) const = 0;

  /// For a person: what of the key is hashed, and what that gives.
  virtual std::string explain(std::string_view key) const = 0;
};

/// The number that memcached's proxy seeds its hash with for a seed given as text.
std::uint64_t seed_of(std::string_view text);

/// How the node is called in a ring.
std::string name_of(const Node& node, Names names);

/// `nodes` is not empty, and is not needed afterwards. With a ring its order decides nothing (but
/// between two points of equal value); with most other kinds it decides everything.
std::unique_ptr<const Placement> make_placement(const PlacementOptions& options,
                                                std::span<const Node> nodes);

/// The same once the servers that are not `live` have been ejected, exactly as the client does it:
/// a ring is made from the live ones alone, their number and total weight too. Where the client
/// leaves the keys of a dead server where they are (libmemcached's modula), place() goes on naming
/// it. Null if none is live. Takes as long as make_placement: once per change, not per request.
std::unique_ptr<const Placement> make_placement(const PlacementOptions& options,
                                                std::span<const Node> nodes, Live live);

}  // namespace mcsteady::placement
