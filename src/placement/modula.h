#pragma once

#include "mcsteady/placement/placement.h"
#include "placement/one_at_a_time.h"

namespace mcsteady::placement {

/// libmemcached's default: the key's one_at_a_time hash modulo the number of servers.
class Modula final : public Placement {
 public:
  explicit Modula(std::size_t nodes) : nodes_(nodes) {}
  std::size_t place(std::string_view key) const override { return one_at_a_time(key) % nodes_; }

 private:
  std::size_t nodes_;
};

}  // namespace mcsteady::placement
