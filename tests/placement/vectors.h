#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mcsteady/placement/placement.h"

namespace mcsteady::placement {

/// What one client really did: a list of servers, which of them were dead, and where each key went.
struct Vector {
  std::string list;
  std::vector<Node> nodes;
  std::vector<std::size_t> down;     // positions in `nodes`
  std::vector<std::size_t> indices;  // position in `nodes` for each of read_keys()
};

std::vector<std::string> read_keys();
/// `file` is in tests/placement/data/; its head says its format.
std::vector<Vector> read_vectors(const std::string& file);

}  // namespace mcsteady::placement
