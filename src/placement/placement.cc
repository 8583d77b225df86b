#include "mcsteady/placement/placement.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "placement/ch3.h"
#include "placement/jump.h"
#include "placement/keyed_placement.h"
#include "placement/looks.h"
#include "placement/members.h"
#include "placement/rendezvous.h"
#include "placement/ring.h"
#include "placement/slots.h"
#include "placement/table.h"

namespace mcsteady::placement {
namespace {

using Kind = PlacementOptions::Kind;

/// A list of one: nothing is hashed.
class OnlyOne final : public Placement {
 public:
  std::size_t place(std::string_view /*key*/) const override { return 0; }
  std::optional<std::size_t> place_rehashed(std::string_view key, Live live) const override {
    return place_next(key, live);
  }
  std::optional<std::size_t> place_next(std::string_view /*key*/, Live live) const override {
    return next_in_list(0, live);
  }
  std::string explain(std::string_view /*key*/) const override {
    return "it is the only server, nothing is hashed";
  }
};

template <class Locator>
std::unique_ptr<const Placement> keyed(const PlacementOptions& options, Locator locator) {
  return std::make_unique<KeyedPlacement<Locator>>(options, std::move(locator));
}

/// libmemcached remembers that a weight above 1 was given, whether that server is live or not.
bool has_weights(std::span<const Node> nodes) {
  return std::ranges::any_of(nodes, [](const Node& node) { return node.weight > 1; });
}

}  // namespace

std::unique_ptr<const Placement> make_placement(const PlacementOptions& options,
                                                std::span<const Node> nodes) {
  return make_placement(options, nodes, std::vector<std::uint8_t>(nodes.size(), 1));
}

std::unique_ptr<const Placement> make_placement(const PlacementOptions& options,
                                                std::span<const Node> nodes, Live live) {
  assert(!nodes.empty() && live.size() == nodes.size());
  if (std::ranges::count(live, 0) == static_cast<std::ptrdiff_t>(live.size())) return nullptr;
  if (nodes.size() == 1) return std::make_unique<OnlyOne>();
  const Members members(options, nodes, live);
  switch (options.kind) {
    case Kind::Ketama:
      return keyed(options, Ring(options, members, has_weights(nodes)));
    case Kind::Modula:
      return keyed(options, Slots(options, members));
    case Kind::Jump:
      return keyed(options, Jump(options, members));
    case Kind::Ch3:
      return keyed(options, Ch3(members));
    case Kind::WeightedCh3:
      return keyed(options, WeightedCh3(members));
    case Kind::ConstShard:
      return keyed(options, ConstShard(members));
    case Kind::Rendezvous:
      return keyed(options, Rendezvous<McrouterScore>(options, members));
    case Kind::WeightedRendezvous:
      return keyed(options, Rendezvous<WeightedMcrouterScore>(options, members));
    case Kind::Pymemcache:
      return keyed(options, Rendezvous<PymemcacheScore>(options, members));
    case Kind::Table:
      return keyed(options, Table(options, members));
  }
  return nullptr;
}

}  // namespace mcsteady::placement
