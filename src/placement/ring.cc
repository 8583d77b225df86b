#include "placement/ring.h"

#include "placement/looks.h"
#include "placement/ring_points.h"

namespace mcsteady::placement {

Ring::Ring(const PlacementOptions& options, const Members& members, bool weighted)
    : hash_(options.hash, options.seed),
      backwards_(options.ring == PlacementOptions::Ring::Dalli),
      points_(ring_points(options, members, weighted)) {}

std::size_t Ring::point_of(std::uint64_t hash) const {
  const auto low = static_cast<std::uint32_t>(hash);
  const std::size_t point = points_.first_from(low);
  if (!backwards_) return point == points_.size() ? 0 : point;
  if (point < points_.size() && points_[point].value == low) return point;
  return point == 0 ? points_.size() - 1 : point - 1;
}

std::optional<std::size_t> Ring::next(std::string_view text, Live live) const {
  const std::size_t first = point_of(hash_(text));
  const std::size_t onward = backwards_ ? points_.size() - 1 : 1;
  for (std::size_t step = 0, at = first; step < points_.size(); ++step) {
    const std::size_t node = points_[at].node;
    if (is_live(live, node)) return node;
    at = (at + onward) % points_.size();
  }
  return std::nullopt;
}

}  // namespace mcsteady::placement
