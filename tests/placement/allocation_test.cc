// No placement allocates when it is asked where a key goes. This binary counts its allocations.

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <set>

#include "mcsteady/config/config.h"
#include "mcsteady/placement/placement.h"
#include "mcsteady/routing/membership.h"
#include "placement/vectors.h"

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace mcsteady::placement {
namespace {

/// What asking for all keys in all ways allocates.
std::size_t allocated_by(const Placement& placement, std::size_t nodes,
                         const std::vector<std::string>& keys) {
  std::vector<std::uint8_t> live(nodes, 1);
  live.front() = 0;
  const std::size_t before = allocations;
  std::size_t sum = 0;
  for (const std::string& key : keys) {
    sum += placement.place(key);
    sum += placement.place_rehashed(key, live).value_or(0);
    sum += placement.place_next(key, live).value_or(0);
  }
  EXPECT_GT(sum, 0u);
  return allocations - before;
}

TEST(Allocations, ThereAreNoneWhenAnyPlacementIsAskedForAnyKey) {
  const auto keys = read_keys();
  std::set<std::string> seen;
  for (const Vector& vector : read_vectors()) {
    const bool has_eight = vector.servers.find("10.0.1.8") != std::string::npos;
    if (!has_eight || !seen.insert(vector.placement).second) continue;
    const auto config = config::parse_config(
        "pools: { main: { servers: " + vector.servers + ", placement: " + vector.placement + " } }",
        "row");
    ASSERT_TRUE(config);
    const routing::PoolOptions& pool = config->worker.pools.front();
    const auto members = routing::make_membership(pool.placement, pool.servers);

    EXPECT_EQ(allocated_by(*members->placement, members->nodes.size(), keys), 0u)
        << vector.placement;
  }
  EXPECT_GT(seen.size(), 90u);
}

}  // namespace
}  // namespace mcsteady::placement
