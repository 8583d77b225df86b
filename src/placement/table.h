#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "placement/hasher.h"
#include "placement/looks.h"
#include "placement/members.h"

namespace mcsteady::placement {

/// Our own: Maglev's table of slots (Eisenbud and others, NSDI 2016, 3.4), with weights. Each
/// server has an order of its own in which it wants the slots, made from its name, and the servers
/// take turns at choosing, a heavier one more often, until all are taken. So shares are even to a
/// slot, a look-up is one read, and a server that goes moves few keys beside its own. The order of
/// the list decides nothing.
class Table {
 public:
  Table(const PlacementOptions& options, const Members& members);

  std::size_t of(std::string_view text) const { return at(hash_(text)); }
  std::uint64_t hash(std::string_view text) const { return hash_(text); }
  std::size_t at(std::uint64_t hash) const { return slots_[slot_of(hash)]; }
  /// The following slots' servers, so that the keys of a dead one are spread over all.
  std::optional<std::size_t> next(std::string_view text, Live live) const;

 private:
  /// The hash as a share of 2^64, of the slots: no division.
  std::size_t slot_of(std::uint64_t hash) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>(static_cast<Wide>(hash) * slots_.size() >> 64);
  }

  Hasher hash_;
  std::vector<std::uint32_t> slots_;  // positions
};

}  // namespace mcsteady::placement
