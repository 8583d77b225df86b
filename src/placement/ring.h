#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "placement/hasher.h"
#include "placement/members.h"
#include "placement/sorted_points.h"

namespace mcsteady::placement {

/// A ring of points: a key belongs to the server of the first point that is not below its hash,
/// past the end to that of the first of all. Dalli's goes the other way round: the last point that
/// is not above the hash, before the first the last of all.
class Ring {
 public:
  Ring(const PlacementOptions& options, const Members& members, bool weighted);

  std::size_t of(std::string_view text) const { return at(hash_(text)); }
  std::uint64_t hash(std::string_view text) const { return hash_(text); }
  std::size_t at(std::uint64_t hash) const { return points_[point_of(hash)].node; }
  std::optional<std::size_t> next(std::string_view text, Live live) const;
  std::size_t points() const { return points_.size(); }

 private:
  std::size_t point_of(std::uint64_t hash) const;

  Hasher hash_;
  bool backwards_;
  SortedPoints points_;
};

}  // namespace mcsteady::placement
