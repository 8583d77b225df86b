#include "discovery/roster.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mcsteady::discovery {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1h};

std::vector<Candidate> named(const std::vector<std::string>& hosts) {
  std::vector<Candidate> candidates;
  for (const std::string& host : hosts) {
    candidates.push_back(
        {.at = {.host = host, .port = 1, .unix_path = {}}, .weight = 1, .address = {}});
  }
  return candidates;
}
std::string members(const Roster& roster) {
  std::string hosts;
  for (const Candidate& member : roster.members()) hosts += member.at.host;
  return hosts;
}

TEST(Roster, TakesInWhoIsNamedAtOnce) {
  Roster roster(10s);

  EXPECT_TRUE(roster.on_listing(named({"a", "b"}), kStart));
  EXPECT_TRUE(roster.on_listing(named({"a", "b", "c"}), kStart));

  EXPECT_EQ(members(roster), "abc");
}

TEST(Roster, TellsWhetherAnythingHasChanged) {
  Roster roster(10s);
  roster.on_listing(named({"a", "b"}), kStart);

  EXPECT_FALSE(roster.on_listing(named({"a", "b"}), kStart));
  auto heavier = named({"a", "b"});
  heavier[0].weight = 7;
  EXPECT_TRUE(roster.on_listing(heavier, kStart));
}

TEST(Roster, HoldsWhoIsMissingUntilTheHoldDownIsOver) {
  Roster roster(10s);
  roster.on_listing(named({"a", "b"}), kStart);

  EXPECT_FALSE(roster.on_listing(named({"a"}), kStart + 1s));
  EXPECT_FALSE(roster.on_listing(named({"a"}), kStart + 10s));
  EXPECT_EQ(members(roster), "ab");
  EXPECT_EQ(roster.decides_at(), kStart + 11s);

  EXPECT_TRUE(roster.on_listing(named({"a"}), kStart + 11s));
  EXPECT_EQ(members(roster), "a");
  EXPECT_FALSE(roster.decides_at());
}

TEST(Roster, LetsAFlappingServerNeitherGoNorCome) {
  Roster roster(10s);
  roster.on_listing(named({"a", "b"}), kStart);

  for (int i = 1; i < 100; ++i) {
    const TimePoint now = kStart + i * 5s;
    EXPECT_FALSE(roster.on_listing(i % 2 == 0 ? named({"a", "b"}) : named({"a"}), now));
  }

  EXPECT_EQ(members(roster), "ab");
}

TEST(Roster, DoesNotLetGoBecauseTimePassesWithoutAnAnswer) {
  Roster roster(10s);
  roster.on_listing(named({"a", "b"}), kStart);
  roster.on_listing(named({"a"}), kStart + 1s);

  roster.on_listing(named({"a", "b"}), kStart + 1h);

  EXPECT_EQ(members(roster), "ab");
}

TEST(Roster, TakesAnEmptyAnswerForNoAnswer) {
  Roster roster(0s);
  roster.on_listing(named({"a", "b"}), kStart);

  EXPECT_FALSE(roster.on_listing({}, kStart + 1h));

  EXPECT_EQ(members(roster), "ab");
  EXPECT_EQ(roster.missing(), 0U);
}

TEST(Roster, WithoutHoldDownLetsGoAtOnce) {
  Roster roster(0s);
  roster.on_listing(named({"a", "b"}), kStart);

  EXPECT_TRUE(roster.on_listing(named({"c"}), kStart));

  EXPECT_EQ(members(roster), "c");
}

}  // namespace
}  // namespace mcsteady::discovery
