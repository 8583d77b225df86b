#include "mcsteady/placement/placement.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "placement/ketama.h"
#include "placement/looks.h"
#include "placement/modula.h"

namespace mcsteady::placement {
namespace {

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
};

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
  if (options.kind == PlacementOptions::Kind::Modula) return std::make_unique<Modula>(nodes.size());
  return std::make_unique<Ketama>(nodes, live);
}

}  // namespace mcsteady::placement
