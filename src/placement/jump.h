#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "placement/hasher.h"
#include "placement/looks.h"
#include "placement/members.h"

namespace mcsteady::placement {

/// Lamping and Veach's jump consistent hash over the list, whose end alone may grow or shrink.
/// Source: memcached, proxy_jump_hash.c.
class Jump {
 public:
  Jump(const PlacementOptions& options, const Members& members)
      : hash_(options.hash, options.seed), positions_(members.positions()) {}

  std::size_t of(std::string_view text) const { return at(hash_(text)); }
  std::uint64_t hash(std::string_view text) const { return hash_(text); }
  std::size_t at(std::uint64_t hash) const {
    const auto count = static_cast<std::int64_t>(positions_.size());
    std::int64_t bucket = 0;
    for (std::int64_t candidate = 0; candidate < count;) {
      bucket = candidate;
      hash = hash * 2862933555777941757u + 1;
      const double stretch = 2147483648.0 / static_cast<double>((hash >> 33) + 1);
      candidate = static_cast<std::int64_t>(static_cast<double>(bucket + 1) * stretch);
    }
    return positions_[static_cast<std::size_t>(bucket)];
  }
  std::optional<std::size_t> next(std::string_view text, Live live) const {
    return next_in_list(of(text), live);
  }

 private:
  Hasher hash_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace mcsteady::placement
