#include "mcsteady/placement/placement.h"

#include <cassert>

#include "placement/ketama.h"
#include "placement/modula.h"

namespace mcsteady::placement {
namespace {

class OnlyOne final : public Placement {
 public:
  std::size_t place(std::string_view /*key*/) const override { return 0; }
};

}  // namespace

std::unique_ptr<const Placement> make_placement(const PlacementOptions& options,
                                                std::span<const Node> nodes) {
  assert(!nodes.empty());
  if (nodes.size() == 1) return std::make_unique<OnlyOne>();
  if (options.kind == PlacementOptions::Kind::Modula) return std::make_unique<Modula>(nodes.size());
  return std::make_unique<Ketama>(nodes);
}

}  // namespace mcsteady::placement
