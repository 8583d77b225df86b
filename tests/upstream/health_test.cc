#include "mcsteady/upstream/health.h"

#include <gtest/gtest.h>

#include "support/rng.h"

namespace mcsteady::upstream {
namespace {

using namespace std::chrono_literals;
using State = Health::State;

constexpr TimePoint kStart{1h};
constexpr HealthOptions kOptions{
    .max_failures = 2, .down_retry_delay = 30s, .down_retry_delay_max = 5min, .jitter = 0.1};

Health down_health() {
  Health health(kOptions);
  health.on_incident(kStart, 0.0);
  health.on_incident(kStart, 0.0);
  return health;
}

TEST(Health, IsUpAtFirst) {
  const Health health(kOptions);

  EXPECT_EQ(health.state(), State::Up);
  EXPECT_FALSE(health.probe_at());
  EXPECT_FALSE(health.on_the_edge());
}

TEST(Health, GoesDownAfterMaxFailuresInARow) {
  Health health(kOptions);
  health.on_incident(kStart, 0.0);
  EXPECT_EQ(health.state(), State::Up);
  EXPECT_TRUE(health.on_the_edge());

  health.on_incident(kStart + 1s, 0.0);

  EXPECT_EQ(health.state(), State::Down);
  EXPECT_EQ(health.probe_at(), kStart + 31s);
}

TEST(Health, ForgetsIncidentsWithAnAnswer) {
  Health health(kOptions);
  for (int i = 0; i < 10; ++i) {
    health.on_incident(kStart, 0.0);
    health.on_answered();
  }

  EXPECT_EQ(health.state(), State::Up);
  EXPECT_EQ(health.failures(), 0);
}

TEST(Health, IsLiftedByAProbeNotByAnAnswerThatWasOnItsWay) {
  Health health = down_health();

  health.on_answered();

  EXPECT_EQ(health.state(), State::Down);
}

TEST(Health, LearnsNothingNewFromIncidentsWhileDown) {
  Health health = down_health();

  health.on_incident(kStart + 10s, 0.0);

  EXPECT_EQ(health.probe_at(), kStart + 30s);
  EXPECT_EQ(health.failures(), 2);
}

TEST(Health, DoublesItsDelayWithEachFailedProbeUpToTheLongest) {
  Health health = down_health();
  const Duration expected[] = {60s, 120s, 240s, 300s, 300s};
  for (const Duration delay : expected) {
    const TimePoint now = *health.probe_at();
    health.on_probe_failed(now, 0.0);
    EXPECT_EQ(health.state(), State::Down);
    EXPECT_EQ(*health.probe_at() - now, delay);
  }
}

TEST(Health, EarnsATrialNotACleanRecordWithAnAnsweredProbe) {
  Health health = down_health();

  health.on_probe_answered();

  EXPECT_EQ(health.state(), State::Trial);
  EXPECT_FALSE(health.probe_at());
  EXPECT_TRUE(health.on_the_edge());
}

TEST(Health, FailsItsTrialWithOneIncidentAndADoubledDelay) {
  Health health = down_health();
  health.on_probe_answered();

  health.on_incident(kStart + 31s, 0.0);

  EXPECT_EQ(health.state(), State::Down);
  EXPECT_EQ(health.probe_at(), kStart + 31s + 60s);
}

TEST(Health, PassesItsTrialWithOneAnswerAndStartsAnew) {
  Health health = down_health();
  health.on_probe_answered();

  health.on_answered();

  EXPECT_EQ(health.state(), State::Up);
  health.on_incident(kStart + 40s, 0.0);
  EXPECT_EQ(health.state(), State::Up);
  health.on_incident(kStart + 40s, 0.0);
  EXPECT_EQ(health.probe_at(), kStart + 70s);
}

TEST(Health, TakesNoNoticeOfProbesWhileUp) {
  Health health(kOptions);

  health.on_probe_answered();
  health.on_probe_failed(kStart, 0.0);

  EXPECT_EQ(health.state(), State::Up);
}

TEST(Health, GoesDownAtOnceWhereOneIncidentIsEnough) {
  HealthOptions options = kOptions;
  options.max_failures = 1;
  Health health(options);
  EXPECT_TRUE(health.on_the_edge());

  health.on_incident(kStart, 0.0);

  EXPECT_EQ(health.state(), State::Down);
}

TEST(Health, ShortensDelaysByJitterAndNeverLengthensThem) {
  Health health(kOptions);
  health.on_incident(kStart, 0.5);

  health.on_incident(kStart, 0.5);

  EXPECT_EQ(health.probe_at(), kStart + 28'500ms);
  EXPECT_EQ(health.delay(), 30s);
}

TEST(Health, KeepsTheFirstDelayWhereItIsOverTheLongest) {
  HealthOptions options = kOptions;
  options.down_retry_delay = 10min;
  options.max_failures = 1;
  Health health(options);

  health.on_incident(kStart, 0.0);

  EXPECT_EQ(health.probe_at(), kStart + 10min);
}

TEST(Health, StaysWithinItsBoundsThroughAMonthOfOutages) {
  const std::uint64_t seed = test::seed_or(11);
  SCOPED_TRACE(test::replay_hint(seed));
  test::Rng rng(seed);
  const auto random = [&] { return static_cast<double>(rng.below(1000)) / 1000.0; };
  Health health(kOptions);
  const TimePoint end = kStart + 30 * 24h;
  TimePoint now = kStart;
  int downs = 0;
  while (now < end) {
    now += rng.between(100ms, 30s);
    const bool is_reachable = rng.chance(0.6);
    const State before = health.state();
    if (before == State::Down) {
      now = std::max(now, *health.probe_at());
      is_reachable ? health.on_probe_answered() : health.on_probe_failed(now, random());
    } else {
      is_reachable ? health.on_answered() : health.on_incident(now, random());
    }
    downs += before != State::Down && health.state() == State::Down;

    ASSERT_EQ(health.probe_at().has_value(), health.state() == State::Down);
    if (health.state() == State::Down) {
      ASSERT_GE(*health.probe_at() - now, 27s);
      ASSERT_LE(*health.probe_at() - now, 5min);
    }
    ASSERT_EQ(health.state() == State::Up, health.failures() < 2);
  }
  EXPECT_GT(downs, 1000);
}

TEST(Health, HasAWordForEachState) {
  EXPECT_STREQ(to_string(State::Up), "up");
  EXPECT_STREQ(to_string(State::Down), "down");
  EXPECT_STREQ(to_string(State::Trial), "trial");
}

}  // namespace
}  // namespace mcsteady::upstream
