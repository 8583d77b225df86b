#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "placement/hasher.h"
#include "placement/looks.h"
#include "placement/members.h"

namespace mcsteady::placement {

/// The hash modulo the number of slots, of which a server has one, or as many as its weight says.
class Slots {
 public:
  Slots(const PlacementOptions& options, const Members& members)
      : hash_(options.hash, options.seed) {
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      const std::size_t count = options.weighted_slots ? members.node(rank).weight : 1;
      slots_.insert(slots_.end(), count, members.position(rank));
    }
  }

  std::size_t of(std::string_view text) const { return at(hash_(text)); }
  std::uint64_t hash(std::string_view text) const { return hash_(text); }
  std::size_t at(std::uint64_t hash) const { return slots_[hash % slots_.size()]; }
  std::optional<std::size_t> next(std::string_view text, Live live) const {
    return next_in_list(of(text), live);
  }

 private:
  Hasher hash_;
  std::vector<std::uint32_t> slots_;  // positions
};

}  // namespace mcsteady::placement
