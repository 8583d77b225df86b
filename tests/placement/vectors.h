#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mcsteady::placement {

/// What one client really did: its servers and its placement as configuration, which servers were
/// dead, what it then did with their keys, and where each key went.
struct Vector {
  std::string dead_do;            // place, eject, rehash, refuse: see make_vectors.py
  std::vector<std::size_t> down;  // positions of the dead
  std::string servers;
  std::string placement;
  std::vector<std::optional<std::size_t>> positions;  // for each of read_keys()
};

/// What one hash function gives for some of the keys.
struct HashValues {
  std::string name;
  std::vector<std::uint64_t> values;
};
struct Hashes {
  std::vector<std::size_t> keys;  // positions in read_keys()
  std::vector<HashValues> functions;
};

// All from tests/placement/data/, which make_vectors.py makes. The packed ones are read by `xz`.
std::vector<std::string> read_keys();
std::vector<Vector> read_vectors();
Hashes read_hashes();

}  // namespace mcsteady::placement
