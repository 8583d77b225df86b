// Every key of every row where the client or proxy put it, with the placement spelt as a user
// would.

#include "placement/vectors.h"

#include <gtest/gtest.h>

#include "mcsteady/config/config.h"
#include "mcsteady/placement/placement.h"
#include "mcsteady/routing/membership.h"

namespace mcsteady::placement {
namespace {

/// The pool that the row's servers and placement make in a configuration.
routing::PoolOptions pool_of(const Vector& vector) {
  const auto config = config::parse_config(
      "pools: { main: { servers: " + vector.servers + ", placement: " + vector.placement + " } }",
      "row");
  if (config) return config->worker.pools.front();
  ADD_FAILURE() << config.error().front().text();
  return {};
}

/// The placement as the row has it, with the dead servers ejected if that is what was done.
class Placed {
 public:
  explicit Placed(const Vector& vector) : vector_(vector) {
    const routing::PoolOptions pool = pool_of(vector);
    const auto membership = routing::make_membership(pool.placement, pool.servers);
    live_.resize(pool.servers.size(), 1);
    for (const std::size_t dead : vector.down) live_.at(dead) = 0;
    if (pool.servers.empty()) return;
    placement_ = vector.dead_do == "eject"
                     ? make_placement(pool.placement, membership->nodes, live_)
                     : make_placement(pool.placement, membership->nodes);
  }

  std::size_t misplaced(const std::vector<std::string>& keys) const {
    std::size_t count = 0;
    for (std::size_t i = 0; placement_ && i < keys.size(); ++i) {
      if (position(keys[i]) != vector_.positions.at(i)) ++count;
    }
    return placement_ ? count : keys.size();
  }

 private:
  std::optional<std::size_t> position(const std::string& key) const {
    const std::size_t home = placement_->place(key);
    if (vector_.dead_do == "refuse" && live_.at(home) == 0) return std::nullopt;
    if (vector_.dead_do != "rehash") return home;
    const auto found = placement_->place_rehashed(key, live_);
    // spymemcached waits for the key's own server then, Dalli raises an error.
    return found || vector_.placement.find("spymemcached") == std::string::npos ? found : home;
  }

  const Vector& vector_;
  std::vector<std::uint8_t> live_;
  std::unique_ptr<const Placement> placement_;
};

TEST(Vectors, PutEveryKeyWhereItsClientDidAndWhereItWentWhenServersWereDown) {
  const auto keys = read_keys();
  const auto vectors = read_vectors();

  ASSERT_EQ(keys.size(), 2390u);
  ASSERT_EQ(vectors.size(), 807u);
  for (const Vector& vector : vectors) {
    ASSERT_EQ(vector.positions.size(), keys.size());
    EXPECT_EQ(Placed(vector).misplaced(keys), 0u)
        << vector.placement << " of " << vector.servers << ", " << vector.dead_do << " "
        << vector.down.size();
  }
}

}  // namespace
}  // namespace mcsteady::placement
