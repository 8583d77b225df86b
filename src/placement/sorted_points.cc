#include "placement/sorted_points.h"

#include <bit>
#include <cassert>

namespace mcsteady::placement {

namespace {
constexpr int kHashBits = 32;
}

SortedPoints::SortedPoints(std::vector<Point> points) : points_(std::move(points)) {
  assert(!points_.empty() && std::is_sorted(points_.begin(), points_.end(),
                                            [](auto& a, auto& b) { return a.value < b.value; }));
  const int bits = std::max(1, static_cast<int>(std::bit_width(points_.size() - 1)));
  shift_ = kHashBits - bits;
  starts_.reserve((std::size_t{1} << bits) + 1);
  for (std::uint32_t i = 0; i < points_.size(); ++i) {
    const std::size_t slot = points_[i].value >> shift_;
    while (starts_.size() <= slot) starts_.push_back(i);
  }
  starts_.resize((std::size_t{1} << bits) + 1, static_cast<std::uint32_t>(points_.size()));
}

}  // namespace mcsteady::placement
