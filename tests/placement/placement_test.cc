#include "mcsteady/placement/placement.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "placement/members.h"
#include "placement/ring.h"
#include "placement/vectors.h"

namespace mcsteady::placement {
namespace {

using Kind = PlacementOptions::Kind;

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

std::size_t points_of_ketama(const std::vector<Node>& nodes, bool weighted) {
  const std::vector<std::uint8_t> live(nodes.size(), 1);
  const PlacementOptions options;
  return Ring(options, Members(options, nodes, live), weighted).points();
}

TEST(Ketama, HasAHundredPointsAServerUntilAWeightIsAboveOne) {
  std::vector<Node> nodes = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}};
  EXPECT_EQ(points_of_ketama(nodes, false), 200u);

  nodes = {{"10.0.0.1", 11211, 2}, {"10.0.0.2", 11211, 2}};
  EXPECT_EQ(points_of_ketama(nodes, true), 320u);
}

TEST(Ketama, CountsPointsInSinglePrecisionAsLibmemcachedDoes) {
  // With these numbers of equal servers the share of one rounds below its 40 digests.
  for (const std::size_t count : {25u, 47u, 50u, 55u, 61u, 71u, 94u, 100u}) {
    std::vector<Node> nodes(count, Node{"", 11211, 2});
    for (std::size_t i = 0; i < count; ++i) nodes[i].host = "10.0.2." + std::to_string(i);

    EXPECT_EQ(points_of_ketama(nodes, true), count * 156) << count;
  }
}

const std::vector<Node> kFour = {
    {"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}, {"10.0.0.3", 11211, 1}, {"10.0.0.4", 11211, 1}};

TEST(Placement, RehashingAndGoingToTheNextLeaveTheKeysOfLiveServersWhereTheyAre) {
  const std::vector<std::uint8_t> live = {1, 0, 1, 1};

  for (const Kind kind : {Kind::Ketama, Kind::Modula}) {
    const auto placement = make_placement({.kind = kind}, kFour);
    for (const auto& key : read_keys()) {
      const std::size_t home = placement->place(key);
      const std::size_t rehashed = placement->place_rehashed(key, live).value();
      const std::size_t next = placement->place_next(key, live).value();
      ASSERT_TRUE(home == 1 ? rehashed != 1 && next != 1 : rehashed == home && next == home) << key;
    }
  }
}

TEST(Placement, KeysOfADeadServerAreSpreadByRehashingAndOnARingByGoingToTheNext) {
  const std::vector<std::uint8_t> live = {1, 0, 1, 1};
  const auto ring = make_placement({.kind = Kind::Ketama}, kFour);
  const auto modula = make_placement({.kind = Kind::Modula}, kFour);
  std::vector<int> rehashed(4), next(4), following(4);

  for (const auto& key : read_keys()) {
    if (ring->place(key) == 1) ++rehashed.at(ring->place_rehashed(key, live).value());
    if (ring->place(key) == 1) ++next.at(ring->place_next(key, live).value());
    if (modula->place(key) == 1) ++following.at(modula->place_next(key, live).value());
  }

  for (const std::size_t other : {0u, 2u, 3u}) {
    EXPECT_GT(rehashed[other], 50) << other;
    EXPECT_GT(next[other], 50) << other;
    EXPECT_EQ(following[other] > 0, other == 2) << other;
  }
}

TEST(Placement, WithoutALiveServerThereIsNoneToGoTo) {
  const std::vector<std::uint8_t> none = {0, 0, 0, 0};
  const std::vector<Node> one = {kFour.front()};

  for (const Kind kind : {Kind::Ketama, Kind::Modula}) {
    const auto placement = make_placement({.kind = kind}, kFour);
    EXPECT_EQ(placement->place_rehashed("key", none), std::nullopt);
    EXPECT_EQ(placement->place_next("key", none), std::nullopt);
    EXPECT_EQ(make_placement({.kind = kind}, kFour, none), nullptr);
  }
  EXPECT_EQ(make_placement({}, one)->place_next("key", Live(none).first(1)), std::nullopt);
}

TEST(Placement, TheEmptyKeyHasAServerToo) {
  const std::vector<Node> nodes = {{"10.0.0.1", 11211, 1}, {"10.0.0.2", 11211, 1}};

  EXPECT_LT(make_placement({.kind = Kind::Ketama}, nodes)->place(""), nodes.size());
  EXPECT_EQ(make_placement({.kind = Kind::Modula}, nodes)->place(""), 0u);
}

}  // namespace
}  // namespace mcsteady::placement
