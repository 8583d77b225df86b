// A whole worker in a simulated world, thousands of times (MCSTEADY_ITERATIONS scales it).
// Whatever the seed brings, every request gets one reply, the right one, in order; nothing leaks;
// memory stays under its ceiling; and no server that answered in time is blamed for anything.

#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/worker_world.h"

namespace mcsteady::test {
namespace {

std::uint64_t iterations(std::uint64_t own) {
  const char* given = std::getenv("MCSTEADY_ITERATIONS");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? own : std::strtoull(given, nullptr, 0);
}

/// Runs `count` worlds, or the one of MCSTEADY_SEED.
void run_worlds(Expect expect, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t seed = seed_or(first);
  if (seed != first) count = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    WorkerWorld world(seed + i, expect);
    world.run();
    ASSERT_EQ(world.complaint(), "") << replay_hint(seed + i) << "\nroute: " << world.route();
  }
}

TEST(WorkerSim, StallsAndSplitsCostNoReplyAndNoServerItsName) {
  run_worlds(Expect::Exact, 1'000'000, iterations(60));
}

TEST(WorkerSim, ServersThatComeAndGoCostNoReply) {
  run_worlds(Expect::Moving, 3'000'000, iterations(60));
}

TEST(WorkerSim, BadServersCostOnlyTheRequestsThatTheyFail) {
  run_worlds(Expect::Honest, 2'000'000, iterations(60));
}

}  // namespace
}  // namespace mcsteady::test
