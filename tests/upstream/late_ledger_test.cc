#include "mcsteady/upstream/late_ledger.h"

#include <gtest/gtest.h>

namespace mcsteady::upstream {
namespace {

using namespace std::chrono_literals;
constexpr TimePoint kStart{1h};
constexpr LateBounds kBounds{.time_max = 5s, .bytes_max = 1000, .replies_max = 10};

LateLedger retired_ledger() {
  LateLedger ledger(kBounds);
  ledger.on_retired(kStart);
  return ledger;
}

TEST(LateLedger, HoldsUpToItsBounds) {
  LateLedger ledger = retired_ledger();
  ledger.on_dropped(1000);

  EXPECT_FALSE(ledger.exceeded(kStart + 5s - 1ns, 10));
}

TEST(LateLedger, EndsAfterItsTime) {
  const LateLedger ledger = retired_ledger();

  EXPECT_TRUE(ledger.exceeded(kStart + 5s, 1));
  EXPECT_EQ(ledger.ends_at(), kStart + 5s);
}

TEST(LateLedger, EndsWhenTooManyBytesWereDropped) {
  LateLedger ledger = retired_ledger();
  ledger.on_dropped(600);
  ledger.on_dropped(401);

  EXPECT_TRUE(ledger.exceeded(kStart, 1));
}

TEST(LateLedger, EndsWhenTooManyRepliesAreOwed) {
  const LateLedger ledger = retired_ledger();

  EXPECT_TRUE(ledger.exceeded(kStart, 11));
}

}  // namespace
}  // namespace mcsteady::upstream
