#pragma once

#include <cstdint>
#include <vector>

#include "mcsteady/placement/placement.h"

namespace mcsteady::placement {

/// libmemcached's ketama with its default hash. Two rings bear the name there. Without a weight
/// above 1 a server has 100 points, each the one_at_a_time hash of "name-j". With one, a server has
/// its share of 160 points a server, four from each MD5 of "name-j"; keys are hashed by
/// one_at_a_time all the same. The name is "host", with ":port" unless that is 11211.
/// Source: libmemcached/hosts.cc, update_continuum().
class Ketama final : public Placement {
 public:
  explicit Ketama(std::span<const Node> nodes);
  std::size_t place(std::string_view key) const override;
  std::size_t points() const { return points_.size(); }

 private:
  // Two arrays, so that the search touches hashes only.
  std::vector<std::uint32_t> points_;  // ascending
  std::vector<std::uint32_t> nodes_;   // whose point it is
};

}  // namespace mcsteady::placement
