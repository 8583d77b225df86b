#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mcsteady/placement/placement.h"

namespace mcsteady::placement {

/// The servers that a placement is made of: those that are live, in the order in which the client
/// takes them. A rank is a place in this order.
class Members {
 public:
  Members(const PlacementOptions& options, std::span<const Node> nodes, Live live);

  std::size_t size() const { return positions_.size(); }
  const Node& node(std::size_t rank) const { return nodes_[positions_[rank]]; }
  /// In the list that the placement is made from.
  std::uint32_t position(std::size_t rank) const { return positions_[rank]; }
  const std::vector<std::uint32_t>& positions() const { return positions_; }
  std::uint64_t total_weight() const;
  /// The weight in the options, or where they have none (mcrouter) a half; else the node's own.
  double weight(std::size_t rank) const;

 private:
  std::span<const Node> nodes_;
  std::span<const double> weights_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace mcsteady::placement
