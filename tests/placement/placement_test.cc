#include "mcsteady/placement/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "placement/ketama.h"
#include "placement/vectors.h"

namespace mcsteady::placement {
namespace {

using Kind = PlacementOptions::Kind;

/// Positions of the servers that were alive, for lists where the dead ones leave the ring.
std::vector<std::size_t> alive(const Vector& vector) {
  std::vector<std::size_t> positions;
  positions.reserve(vector.nodes.size());
  for (std::size_t i = 0; i < vector.nodes.size(); ++i) {
    if (std::find(vector.down.begin(), vector.down.end(), i) == vector.down.end()) {
      positions.push_back(i);
    }
  }
  return positions;
}

/// How many keys go elsewhere than `vector` says when only the servers at `positions` exist.
std::size_t misplaced(const Vector& vector, Kind kind, const std::vector<std::size_t>& positions,
                      const std::vector<std::string>& keys) {
  std::vector<Node> nodes;
  nodes.reserve(positions.size());
  for (const std::size_t position : positions) nodes.push_back(vector.nodes[position]);
  const auto placement = make_placement({.kind = kind}, nodes);
  std::size_t count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (positions.at(placement->place(keys[i])) != vector.indices.at(i)) ++count;
  }
  return count;
}

TEST(Placement, KetamaPutsEveryKeyWhereLibmemcachedDoesAndShrinksItsRingAsItDoes) {
  const auto keys = read_keys();
  const auto vectors = read_vectors("libmemcached_ketama.txt");

  ASSERT_EQ(keys.size(), 2390u);
  ASSERT_EQ(vectors.size(), 15u);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(misplaced(vector, Kind::Ketama, alive(vector), keys), 0u) << vector.list;
  }
}

TEST(Placement, ModulaPutsEveryKeyWhereLibmemcachedDoesWhichIsTheSameWithDeadServers) {
  const auto keys = read_keys();
  const auto vectors = read_vectors("libmemcached_modula.txt");

  ASSERT_EQ(vectors.size(), 15u);
  for (const Vector& vector : vectors) {
    std::vector<std::size_t> all(vector.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(misplaced(vector, Kind::Modula, all, keys), 0u) << vector.list;
  }
}

TEST(Placement, ARingDoesNotDependOnTheOrderOfItsServersAndModulaDoes) {
  const std::vector<Node> forward = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}};
  const std::vector<Node> backward = {forward[1], forward[0]};
  const auto keys = read_keys();

  for (const Kind kind : {Kind::Ketama, Kind::Modula}) {
    const auto first = make_placement({.kind = kind}, forward);
    const auto second = make_placement({.kind = kind}, backward);
    std::size_t same_server = 0;
    for (const auto& key : keys) {
      if (first->place(key) == 1 - second->place(key)) ++same_server;
    }
    EXPECT_EQ(same_server, kind == Kind::Ketama ? keys.size() : 0u);
  }
}

TEST(Placement, AServerWhoseShareIsBelowOnePointGetsNoKeys) {
  const std::vector<Node> nodes = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1000000}};

  const auto placement = make_placement({}, nodes);

  for (const auto& key : read_keys()) ASSERT_EQ(placement->place(key), 1u) << key;
}

TEST(Placement, AKeyThatHashesToAPointBelongsToThatPoint) {
  const std::vector<Node> nodes = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}};

  const auto placement = make_placement({}, nodes);

  for (int j = 0; j < 100; ++j) {
    EXPECT_EQ(placement->place("10.0.0.1-" + std::to_string(j)), 0u);
    EXPECT_EQ(placement->place("10.0.0.2-" + std::to_string(j)), 1u);
  }
}

TEST(Ketama, HasAHundredPointsAServerUntilAWeightIsAboveOne) {
  std::vector<Node> nodes = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}};
  EXPECT_EQ(Ketama(nodes).points(), 200u);

  nodes = {{"10.0.0.1", 11211, 2}, {"10.0.0.2", 11211, 2}};
  EXPECT_EQ(Ketama(nodes).points(), 320u);
}

TEST(Ketama, CountsPointsInSinglePrecisionAsLibmemcachedDoes) {
  // With these numbers of equal servers the share of one rounds below its 40 digests.
  for (const std::size_t count : {25u, 47u, 50u, 55u, 61u, 71u, 94u, 100u}) {
    std::vector<Node> nodes(count, Node{"", 11211, 2});
    for (std::size_t i = 0; i < count; ++i) nodes[i].host = "10.0.2." + std::to_string(i);

    EXPECT_EQ(Ketama(nodes).points(), count * 156) << count;
  }
}

TEST(Placement, TheEmptyKeyHasAServerToo) {
  const std::vector<Node> nodes = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}};

  EXPECT_LT(make_placement({.kind = Kind::Ketama}, nodes)->place(""), nodes.size());
  EXPECT_EQ(make_placement({.kind = Kind::Modula}, nodes)->place(""), 0u);
}

}  // namespace
}  // namespace mcsteady::placement
