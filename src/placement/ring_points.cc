#include "placement/ring_points.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "placement/hasher.h"
#include "placement/md5.h"
#include "placement/sha1.h"

namespace mcsteady::placement {
namespace {

using RingKind = PlacementOptions::Ring;
using Ties = PlacementOptions::Ties;

constexpr std::uint32_t kShare = 160;  // points a server, over all servers
constexpr std::uint32_t kPointsPerDigest = 4;

/// "name-0", "name-1" and so on, in one string.
class Numbered {
 public:
  Numbered(std::string name, char between) : text_(std::move(name) + between), stem_(text_.size()) {
    text_.resize(stem_ + 10);
  }
  std::string_view operator()(std::uint32_t number) {
    char* const digits = text_.data() + stem_;
    const char* const end = std::to_chars(digits, text_.data() + text_.size(), number).ptr;
    return {text_.data(), static_cast<std::size_t>(end - text_.data())};
  }

 private:
  std::string text_;
  std::size_t stem_;
};

/// In single precision, one rounding an operation, as libmemcached, twemproxy and spymemcached
/// count: 25 equal servers get 156 points each, not 160, and keys depend on it. Sources:
/// libmemcached hosts.cc, update_continuum(); twemproxy nc_ketama.c, ketama_update().
std::uint32_t digests_by_weight(std::uint32_t weight, std::uint64_t total_weight,
                                std::size_t nodes) {
  const float share = static_cast<float>(weight) / static_cast<float>(total_weight);
  const float points = share * static_cast<float>(kShare);
  const float digests = points / static_cast<float>(kPointsPerDigest) * static_cast<float>(nodes);
  return static_cast<std::uint32_t>(std::floor(static_cast<float>(digests + 0.0000000001)));
}

/// Dalli, lib/dalli/ring.rb, entry_count_for(): one rounding at the end.
std::uint32_t points_of_dalli(std::uint32_t weight, std::uint64_t total_weight, std::size_t nodes) {
  const auto product = static_cast<double>(std::uint64_t{nodes} * kShare * weight);
  return static_cast<std::uint32_t>(std::floor(product / static_cast<double>(total_weight)));
}

/// Adds the points of one server after another; `node` is the rank until all are in order.
class PointList {
 public:
  PointList(const PlacementOptions& options, const Members& members, RingKind ring)
      : options_(options), members_(members), ring_(ring), total_weight_(members.total_weight()) {}

  void add(std::uint32_t rank) {
    const Node& node = members_.node(rank);
    Numbered text(name_of(node, options_.names), ring_ == RingKind::Dalli ? ':' : '-');
    switch (ring_) {
      case RingKind::Dalli:
        return add_dalli(text, points_of_dalli(node.weight, total_weight_, members_.size()), rank);
      case RingKind::Weighted:
        return add_digests(text, digests_by_weight(node.weight, total_weight_, members_.size()),
                           rank);
      case RingKind::Digests:
        return add_digests(
            text,
            options_.points / kPointsPerDigest * (options_.weighted_points ? node.weight : 1u),
            rank);
      default:
        return add_hashes(text, rank);
    }
  }
  std::vector<Point> take() && { return std::move(points_); }

 private:
  void add_dalli(Numbered& text, std::uint32_t points, std::uint32_t rank) {
    for (std::uint32_t j = 0; j < points; ++j) points_.push_back({sha1_start(text(j)), rank});
  }
  void add_digests(Numbered& text, std::uint32_t digests, std::uint32_t rank) {
    for (std::uint32_t j = 0; j < digests; ++j) {
      for (const std::uint32_t point : md5(text(j))) points_.push_back({point, rank});
    }
  }
  void add_hashes(Numbered& text, std::uint32_t rank) {
    const Hasher hash(options_.point_hash);
    for (std::uint32_t j = 0; j < options_.points; ++j) {
      points_.push_back({static_cast<std::uint32_t>(hash(text(j))), rank});
    }
  }

  const PlacementOptions& options_;
  const Members& members_;
  RingKind ring_;
  std::uint64_t total_weight_;
  std::vector<Point> points_;
};

/// By value, and between equal values as they were: by eleven bits at a time, the last first. Half
/// the time of rebuilding a large ring would go into comparing points otherwise.
void sort_by_value(std::vector<Point>& points) {
  constexpr int kBits = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kBits;
  std::vector<Point> sorted(points.size());
  for (int shift = 0; shift < 32; shift += kBits) {
    const auto bucket_of = [&](const Point& point) {
      return point.value >> shift & (kBuckets - 1);
    };
    std::array<std::size_t, kBuckets + 1> starts{};
    for (const Point& point : points) ++starts[bucket_of(point) + 1];
    for (std::size_t i = 0; i < kBuckets; ++i) starts[i + 1] += starts[i];
    for (const Point& point : points) sorted[starts[bucket_of(point)]++] = point;
    points.swap(sorted);
  }
}

/// Which of the equal points in [first, last) is kept. Ranks ascend in it.
Point winner(std::vector<Point>::iterator first, std::vector<Point>::iterator last,
             const PlacementOptions& options, const Members& members) {
  if (options.ties == Ties::First || last - first == 1) return *first;
  if (options.ties == Ties::Last) return *(last - 1);
  std::ranges::sort(first, last, {}, [&](const Point& point) {
    return std::pair(name_of(members.node(point.node), options.names), point.node);
  });
  return *(first + first->value % (last - first));
}

}  // namespace

std::vector<Point> ring_points(const PlacementOptions& options, const Members& members,
                               bool weighted) {
  RingKind ring = options.ring;
  if (ring == RingKind::Libmemcached) ring = weighted ? RingKind::Weighted : RingKind::Plain;
  PointList list(options, members, ring);
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) list.add(rank);
  std::vector<Point> points = std::move(list).take();
  sort_by_value(points);
  std::size_t kept = 0;
  for (auto first = points.begin(); first != points.end();) {
    const auto last = std::find_if(first, points.end(),
                                   [&](const Point& point) { return point.value != first->value; });
    const Point point = winner(first, last, options, members);
    points[kept++] = {point.value, members.position(point.node)};
    first = last;
  }
  points.resize(kept);
  return points;
}

}  // namespace mcsteady::placement
