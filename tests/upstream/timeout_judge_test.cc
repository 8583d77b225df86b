#include "mcsteady/upstream/timeout_judge.h"

#include <gtest/gtest.h>

namespace mcsteady::upstream {
namespace {

using namespace std::chrono_literals;
constexpr Duration kStallMin = 20ms;

TimeoutEvidence silence() {
  return {.timer_late_by = 1ms,
          .stalled = {},
          .found_unread = {},
          .output_unsent = {},
          .transport = {}};
}
TimeoutEvidence silence_over_tcp(std::uint32_t unacked, std::uint32_t retransmits) {
  TimeoutEvidence seen = silence();
  seen.transport.tcp.emplace();
  seen.transport.tcp->segments_unacked = unacked;
  seen.transport.tcp->retransmits = retransmits;
  return seen;
}

TEST(TimeoutJudge, CallsSilenceTheServersLateness) {
  EXPECT_EQ(judge(silence(), kStallMin), TimeoutVerdict::ServerLate);
}

TEST(TimeoutJudge, CallsAReplyThatWasThereRecovered) {
  TimeoutEvidence seen = silence();
  seen.found_unread = ByteCount{1};

  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::Recovered);
}

TEST(TimeoutJudge, PrefersAReplyToEveryOtherEvidence) {
  TimeoutEvidence seen = silence_over_tcp(3, 2);
  seen.found_unread = ByteCount{1};
  seen.timer_late_by = seen.stalled = 1s;

  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::Recovered);
}

TEST(TimeoutJudge, TakesALateTimerForOurStall) {
  TimeoutEvidence seen = silence();
  seen.timer_late_by = kStallMin - 1ns;
  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::ServerLate);

  seen.timer_late_by = kStallMin;

  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::WeStalled);
}

TEST(TimeoutJudge, TakesAStallWithinTheWaitForOurs) {
  TimeoutEvidence seen = silence();
  seen.stalled = kStallMin - 1ns;
  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::ServerLate);

  seen.stalled = kStallMin;

  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::WeStalled);
}

TEST(TimeoutJudge, BlamesTheNetworkForBytesThatAreSentAgainUnacknowledged) {
  EXPECT_EQ(judge(silence_over_tcp(1, 1), kStallMin), TimeoutVerdict::NetworkLost);
}

TEST(TimeoutJudge, DoesNotBlameTheNetworkForBytesThatWereOnlyJustSent) {
  EXPECT_EQ(judge(silence_over_tcp(1, 0), kStallMin), TimeoutVerdict::ServerLate);
}

TEST(TimeoutJudge, DoesNotBlameTheNetworkForRetransmitsThatArrived) {
  EXPECT_EQ(judge(silence_over_tcp(0, 1), kStallMin), TimeoutVerdict::ServerLate);
}

TEST(TimeoutJudge, BlamesOurStallBeforeTheNetwork) {
  TimeoutEvidence seen = silence_over_tcp(1, 1);
  seen.stalled = 1s;

  EXPECT_EQ(judge(seen, kStallMin), TimeoutVerdict::WeStalled);
}

}  // namespace
}  // namespace mcsteady::upstream
