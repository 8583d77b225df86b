#include "placement/ketama.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "placement/md5.h"
#include "placement/one_at_a_time.h"

namespace mcsteady::placement {
namespace {

using Point = std::pair<std::uint32_t, std::uint32_t>;  // its place on the ring, and its node

constexpr std::uint16_t kUnnamedPort = 11211;
constexpr std::uint32_t kPlainPoints = 100;
constexpr std::uint32_t kWeightedPoints = 160;
constexpr std::uint32_t kPointsPerDigest = 4;

std::string ring_name(const Node& node) {
  return node.port == kUnnamedPort ? node.host : node.host + ":" + std::to_string(node.port);
}

void add_plain_points(const Node& node, std::uint32_t index, std::vector<Point>& ring) {
  const std::string prefix = ring_name(node) + "-";
  for (std::uint32_t j = 0; j < kPlainPoints; ++j) {
    ring.emplace_back(one_at_a_time(prefix + std::to_string(j)), index);
  }
}

/// In single precision, one rounding an operation, as libmemcached counts: 25 equal servers get 156
/// points each, not 160, and keys depend on it.
std::uint32_t digests_of(std::uint32_t weight, std::uint64_t total_weight, std::size_t nodes) {
  const float share = static_cast<float>(weight) / static_cast<float>(total_weight);
  const float points = share * static_cast<float>(kWeightedPoints);
  const float digests = points / static_cast<float>(kPointsPerDigest) * static_cast<float>(nodes);
  return static_cast<std::uint32_t>(std::floor(static_cast<float>(digests + 0.0000000001)));
}

void add_weighted_points(const Node& node, std::uint32_t index, std::uint32_t digests,
                         std::vector<Point>& ring) {
  const std::string prefix = ring_name(node) + "-";
  for (std::uint32_t j = 0; j < digests; ++j) {
    for (const std::uint32_t point : md5(prefix + std::to_string(j))) {
      ring.emplace_back(point, index);
    }
  }
}

std::vector<Point> make_ring(std::span<const Node> nodes) {
  bool weighted = false;
  std::uint64_t total_weight = 0;
  for (const Node& node : nodes) {
    weighted = weighted || node.weight > 1;
    total_weight += node.weight;
  }
  std::vector<Point> ring;
  for (std::uint32_t index = 0; index < nodes.size(); ++index) {
    const Node& node = nodes[index];
    if (weighted) {
      add_weighted_points(node, index, digests_of(node.weight, total_weight, nodes.size()), ring);
    } else {
      add_plain_points(node, index, ring);
    }
  }
  std::sort(ring.begin(), ring.end());  // between equal points the first node wins
  return ring;
}

}  // namespace

Ketama::Ketama(std::span<const Node> nodes) {
  for (const auto& [point, node] : make_ring(nodes)) {
    points_.push_back(point);
    nodes_.push_back(node);
  }
}

std::size_t Ketama::place(std::string_view key) const {
  const auto next = std::lower_bound(points_.begin(), points_.end(), one_at_a_time(key));
  return next == points_.end() ? nodes_.front()
                               : nodes_[static_cast<std::size_t>(next - points_.begin())];
}

}  // namespace mcsteady::placement
