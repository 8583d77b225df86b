#include "mcsteady/metrics/registry.h"

#include <gtest/gtest.h>

namespace mcsteady::metrics {
namespace {

using namespace std::chrono_literals;

TEST(Registry, TellsEachMetricByItsName) {
  Registry registry;
  Counter hits;
  Gauge clients;
  registry.add({"hits", ""}, hits);
  registry.add({"clients", ""}, clients);
  hits.add(3);
  hits.add();
  clients.add(5);
  clients.add(-2);

  const Snapshot now = registry.snapshot();

  EXPECT_EQ(now.counter("hits"), 4U);
  EXPECT_EQ(now.gauge("clients"), 3);
}

TEST(Registry, AddsUpWhatSeveralWorkersCountUnderOneName) {
  Registry registry;
  Counter workers[3];
  Gauge gauges[2];
  for (Counter& counter : workers) registry.add({"hits", ""}, counter);
  for (Gauge& gauge : gauges) registry.add({"clients", ""}, gauge);
  for (Counter& counter : workers) counter.add(10);
  gauges[0].set(7);
  gauges[1].set(-2);

  const Snapshot now = registry.snapshot();

  EXPECT_EQ(now.counter("hits"), 30U);
  EXPECT_EQ(now.gauge("clients"), 5);
}

TEST(Registry, KeepsSubjectsApartAndTellsTheirTotal) {
  Registry registry;
  Counter a;
  Counter b;
  Counter other;
  registry.add({"server_requests", "a"}, a);
  registry.add({"server_requests", "b"}, b);
  registry.add({"server_requests_lost", "a"}, other);
  a.add(1);
  b.add(2);
  other.add(100);

  const Snapshot now = registry.snapshot();

  EXPECT_EQ(now.counter("server_requests", "a"), 1U);
  EXPECT_EQ(now.counter("server_requests", "b"), 2U);
  EXPECT_EQ(now.total("server_requests"), 3U);
}

TEST(Registry, TakesWhatItDoesNotKnowForNothing) {
  const Snapshot now = Registry().snapshot();

  EXPECT_EQ(now.counter("x"), 0U);
  EXPECT_EQ(now.gauge("x", "y"), 0);
  EXPECT_EQ(now.total("x"), 0U);
  EXPECT_EQ(now.quantile("x", "", 0.5), 0ns);
}

TEST(Registry, MergesHistogramsOfOneName) {
  Registry registry;
  Histogram workers[2];
  for (const Histogram& histogram : workers) registry.add({"lag", ""}, histogram);
  for (int i = 0; i < 99; ++i) workers[0].record(1us);
  workers[1].record(1s);

  const Snapshot now = registry.snapshot();

  EXPECT_LE(now.quantile("lag", "", 0.98), 1125ns);
  EXPECT_GE(now.quantile("lag", "", 1.0), 1s);
}

TEST(Registry, TellsQuantilesOfEachSubjectApart) {
  Registry registry;
  Histogram a;
  Histogram b;
  registry.add({"response_time", "a"}, a);
  registry.add({"response_time", "b"}, b);
  a.record(1us);
  b.record(1s);

  const Snapshot now = registry.snapshot();

  EXPECT_LE(now.quantile("response_time", "a", 1.0), 1125ns);
  EXPECT_GE(now.quantile("response_time", "b", 1.0), 1s);
}

TEST(Registry, TellsOfOneMomentEachTime) {
  Registry registry;
  Counter hits;
  registry.add({"hits", ""}, hits);
  const Snapshot before = registry.snapshot();
  hits.add();

  EXPECT_EQ(before.counter("hits"), 0U);
  EXPECT_EQ(registry.snapshot().counter("hits"), 1U);
}

TEST(Registry, SubtractsWhatWasCountedBeforeWhereverItIsNow) {
  Registry registry;
  Counter staying, going;
  registry.add({"requests", "a"}, staying);
  registry.add({"requests", "b"}, going);
  staying.add(3);
  going.add(5);
  const Snapshot before = registry.snapshot();
  staying.add(1);
  going.add(2);
  registry.remove({"requests", "b"}, going);
  Snapshot now = registry.snapshot();
  now.subtract(before);

  EXPECT_EQ(now.counter("requests", "a"), 1U);
  EXPECT_EQ(now.counter("requests", Registry::kGone), 2U);
  EXPECT_EQ(now.total("requests"), 3U);
}

TEST(Registry, KeepsTheTotalsOfWhatHasGone) {
  Registry registry;
  Counter counter;
  Gauge gauge;
  Histogram histogram;
  registry.add({"requests", "a"}, counter);
  registry.add({"open", "a"}, gauge);
  registry.add({"time", "a"}, histogram);
  counter.add(3);
  gauge.set(2);
  histogram.record(std::chrono::milliseconds(1));

  registry.remove({"requests", "a"}, counter);
  registry.remove({"open", "a"}, gauge);
  registry.remove({"time", "a"}, histogram);
  counter.add(5);
  const Snapshot now = registry.snapshot();

  EXPECT_EQ(now.total("requests"), 3U);
  EXPECT_FALSE(now.counters.contains({"requests", "a"}));
  EXPECT_TRUE(now.gauges.empty());
  EXPECT_GT(now.quantile("time", Registry::kGone, 0.5), Duration{0});
}

}  // namespace
}  // namespace mcsteady::metrics
