#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mcsteady::placement {

/// A place on a ring and the node that it belongs to.
struct Point {
  std::uint32_t value;
  std::uint32_t node;
  friend auto operator<=>(const Point&, const Point&) = default;
};

/// The points of a ring in order, and a directory by their leading bits, as fine as there are
/// points, so that a search looks at one or two of them whatever the size of the ring.
class SortedPoints {
 public:
  /// `points` are in order already, and not empty.
  explicit SortedPoints(std::vector<Point> points);

  /// The index of the first point whose value is at least `hash`; size() past the last.
  std::size_t first_from(std::uint32_t hash) const {
    const std::size_t slot = hash >> shift_;
    const auto first = points_.begin() + starts_[slot];
    const auto last = points_.begin() + starts_[slot + 1];
    const auto at = std::lower_bound(
        first, last, hash, [](const Point& point, std::uint32_t h) { return point.value < h; });
    return static_cast<std::size_t>(at - points_.begin());
  }

  std::size_t size() const { return points_.size(); }
  const Point& operator[](std::size_t index) const { return points_[index]; }

 private:
  std::vector<Point> points_;
  std::vector<std::uint32_t> starts_;  // of each slot: its first point; one more for the end
  int shift_;                          // a hash's slot is what is left of it
};

}  // namespace mcsteady::placement
