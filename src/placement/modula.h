#pragma once

#include "mcsteady/placement/placement.h"
#include "placement/looks.h"
#include "placement/one_at_a_time.h"

namespace mcsteady::placement {

/// libmemcached's default: the key's one_at_a_time hash modulo the number of servers.
class Modula final : public Placement {
 public:
  explicit Modula(std::size_t nodes) : nodes_(nodes) {}
  std::size_t place(std::string_view key) const override { return one_at_a_time(key) % nodes_; }
  std::optional<std::size_t> place_rehashed(std::string_view key, Live live) const override {
    return dalli_looks(key, live, [this](std::string_view text) { return place(text); });
  }
  std::optional<std::size_t> place_next(std::string_view key, Live live) const override {
    return next_in_list(place(key), live);
  }

 private:
  std::size_t nodes_;
};

}  // namespace mcsteady::placement
