#include "placement/members.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mcsteady::placement {

namespace {

constexpr double kMissingWeight = 0.5;  // mcrouter, WeightedChHashFuncBase.cpp

/// By what `key` makes of a position, and as written between equals.
template <class Key>
void sort_by(std::vector<std::uint32_t>& positions, Key key) {
  std::vector<std::pair<decltype(key(0u)), std::uint32_t>> keyed;
  keyed.reserve(positions.size());
  for (const std::uint32_t position : positions) keyed.emplace_back(key(position), position);
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = keyed[i].second;
}

}  // namespace

Members::Members(const PlacementOptions& options, std::span<const Node> nodes, Live live)
    : nodes_(nodes), weights_(options.weights) {
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (live[i] != 0 || options.ejecting_keeps_places) positions_.push_back(i);
  }
  const auto name = [&](std::uint32_t i) { return name_of(nodes[i], options.names); };
  using Order = PlacementOptions::Order;
  if (options.order == Order::ByName) {
    sort_by(positions_, [&](std::uint32_t i) {
      std::string text = name(i);
      const std::size_t size = text.size();
      return std::pair(size, std::move(text));
    });
  } else if (options.order == Order::ByText) {
    sort_by(positions_, name);
  } else if (options.order == Order::ByHost) {
    sort_by(positions_, [&](std::uint32_t i) { return std::pair(nodes[i].host, nodes[i].port); });
  }
}

std::uint64_t Members::total_weight() const {
  std::uint64_t total = 0;
  for (const std::uint32_t position : positions_) total += nodes_[position].weight;
  return total;
}

double Members::weight(std::size_t rank) const {
  const std::size_t position = positions_[rank];
  if (weights_.empty()) return nodes_[position].weight;
  return position < weights_.size() ? weights_[position] : kMissingWeight;
}

}  // namespace mcsteady::placement
