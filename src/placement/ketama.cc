#include "placement/ketama.h"

#include <algorithm>
#include <cmath>

#include "placement/looks.h"
#include "placement/md5.h"
#include "placement/one_at_a_time.h"

namespace mcsteady::placement {
namespace {

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
    ring.push_back({one_at_a_time(prefix + std::to_string(j)), index});
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
      ring.push_back({point, index});
    }
  }
}

std::vector<Point> make_ring(std::span<const Node> nodes, Live live) {
  bool weighted = false;
  std::uint64_t total_weight = 0;
  std::size_t live_nodes = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    weighted = weighted || nodes[i].weight > 1;
    if (!is_live(live, i)) continue;
    total_weight += nodes[i].weight;
    ++live_nodes;
  }
  std::vector<Point> ring;
  for (std::uint32_t index = 0; index < nodes.size(); ++index) {
    const Node& node = nodes[index];
    if (!is_live(live, index)) continue;
    if (weighted) {
      add_weighted_points(node, index, digests_of(node.weight, total_weight, live_nodes), ring);
    } else {
      add_plain_points(node, index, ring);
    }
  }
  std::sort(ring.begin(), ring.end());  // between equal points the first node wins
  return ring;
}

}  // namespace

Ketama::Ketama(std::span<const Node> nodes, Live live) : points_(make_ring(nodes, live)) {}

std::size_t Ketama::point_of(std::string_view key) const {
  const std::size_t point = points_.first_from(one_at_a_time(key));
  return point == points_.size() ? 0 : point;
}

std::size_t Ketama::place(std::string_view key) const {
  return points_[point_of(key)].node;
}

std::optional<std::size_t> Ketama::place_rehashed(std::string_view key, Live live) const {
  return dalli_looks(key, live, [this](std::string_view text) { return place(text); });
}

std::optional<std::size_t> Ketama::place_next(std::string_view key, Live live) const {
  const std::size_t first = point_of(key);
  for (std::size_t step = 0; step < points_.size(); ++step) {
    const std::size_t node = points_[(first + step) % points_.size()].node;
    if (is_live(live, node)) return node;
  }
  return std::nullopt;
}

}  // namespace mcsteady::placement
