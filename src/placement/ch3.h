#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "placement/looks.h"
#include "placement/members.h"

namespace mcsteady::placement {

/// mcrouter's furc hash: a number below `count` for a key, and as few keys moved as can be when the
/// list grows or shrinks at its end. Source: mcrouter, lib/fbi/hash.c, furc_hash().
std::size_t furc_hash(std::string_view key, std::size_t count);

/// mcrouter's default. Source: lib/Ch3HashFunc.h.
class Ch3 {
 public:
  explicit Ch3(const Members& members) : positions_(members.positions()) {}
  std::size_t of(std::string_view text) const {
    return positions_[furc_hash(text, positions_.size())];
  }
  std::optional<std::size_t> next(std::string_view text, Live live) const {
    return next_in_list(of(text), live);
  }

 protected:
  const std::vector<std::uint32_t>& positions() const { return positions_; }

 private:
  std::vector<std::uint32_t> positions_;
};

/// A key that says its server: the number between the first two colons, where that is one and there
/// are as many servers; else Ch3. Source: mcrouter, routes/ShardHashFunc.cpp.
class ConstShard : public Ch3 {
 public:
  using Ch3::Ch3;
  std::size_t of(std::string_view text) const;
  std::optional<std::size_t> next(std::string_view text, Live live) const {
    return next_in_list(of(text), live);
  }
};

/// Ch3, but each server takes a share of its keys only, its weight in [0, 1]; the others are hashed
/// again with a number behind them. Source: mcrouter, lib/WeightedCh3HashFunc.cpp.
class WeightedCh3 : public Ch3 {
 public:
  explicit WeightedCh3(const Members& members);
  std::size_t of(std::string_view text) const;
  std::optional<std::size_t> next(std::string_view text, Live live) const {
    return next_in_list(of(text), live);
  }

 private:
  std::vector<std::uint32_t> shares_;  // of 2^32 - 1
};

}  // namespace mcsteady::placement
