#pragma once

#include <cstdint>
#include <vector>

#include "mcsteady/placement/placement.h"
#include "placement/sorted_points.h"

namespace mcsteady::placement {

/// libmemcached's ketama with its default hash. Two rings bear the name there. Without a weight
/// above 1 a server has 100 points, each the one_at_a_time hash of "name-j". With one, a server has
/// its share of 160 points a server, four from each MD5 of "name-j"; keys are hashed by
/// one_at_a_time all the same. The name is "host", with ":port" unless that is 11211.
/// Source: libmemcached/hosts.cc, update_continuum().
class Ketama final : public Placement {
 public:
  /// Of the nodes that are live only, as auto_eject_hosts makes it; at least one is.
  Ketama(std::span<const Node> nodes, Live live);
  std::size_t place(std::string_view key) const override;
  std::optional<std::size_t> place_rehashed(std::string_view key, Live live) const override;
  std::optional<std::size_t> place_next(std::string_view key, Live live) const override;
  std::size_t points() const { return points_.size(); }

 private:
  std::size_t point_of(std::string_view key) const;

  SortedPoints points_;
};

}  // namespace mcsteady::placement
