#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mcsteady::placement {

/// How keys are divided among servers. Both kinds are libmemcached's (1.1.4, as on x86-64), which
/// pylibmc and PHP's memcached use, with its default hash, one_at_a_time.
struct PlacementOptions {
  enum class Kind {
    Ketama,  // a ring: a server that comes or goes moves its own share of keys only
    Modula,  // hash modulo servers, in the order written; weights count for nothing
  } kind = Kind::Ketama;
};

/// A server as its clients write it, which is what a ring is made of: the host as given, neither
/// resolved nor changed in case.
struct Node {
  std::string host;        // or the path of a unix socket
  std::uint16_t port = 0;  // 0 for a unix socket
  std::uint32_t weight = 1;
};

/// Which server a key belongs to. Immutable, hence safe from any thread.
class Placement {
 public:
  virtual ~Placement() = default;
  /// The position of the key's server in the list that the placement was made from. One hash and at
  /// most one binary search over a flat array; allocates nothing.
  virtual std::size_t place(std::string_view key) const = 0;
};

/// `nodes` is not empty, and is not needed afterwards. With a ring its order decides nothing (but
/// between two points of equal value); with Modula it decides everything.
std::unique_ptr<const Placement> make_placement(const PlacementOptions& options,
                                                std::span<const Node> nodes);

}  // namespace mcsteady::placement
