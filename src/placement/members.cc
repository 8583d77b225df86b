#include "placement/members.h"

#include <algorithm>
#include <tuple>

namespace mcsteady::placement {

namespace {
constexpr double kMissingWeight = 0.5;  // mcrouter, WeightedChHashFuncBase.cpp
}

Members::Members(const PlacementOptions& options, std::span<const Node> nodes, Live live)
    : nodes_(nodes), weights_(options.weights) {
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (live[i] != 0 || options.ejecting_keeps_places) positions_.push_back(i);
  }
  using Order = PlacementOptions::Order;
  if (options.order == Order::ByName) {
    std::ranges::stable_sort(positions_, {}, [&](std::uint32_t i) {
      std::string name = name_of(nodes[i], options.names);
      const std::size_t size = name.size();
      return std::tuple(size, std::move(name));
    });
  } else if (options.order == Order::ByText) {
    std::ranges::stable_sort(positions_, {},
                             [&](std::uint32_t i) { return name_of(nodes[i], options.names); });
  } else if (options.order == Order::ByHost) {
    std::ranges::stable_sort(
        positions_, {}, [&](std::uint32_t i) { return std::tie(nodes[i].host, nodes[i].port); });
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
