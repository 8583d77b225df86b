// Waits that run out: what is looked at, what is granted, what is concluded.

#include <gtest/gtest.h>

#include "upstream/connection_fixture.h"

namespace mcsteady::upstream {
namespace {

class ConnectionWaitTest : public ConnectionTest {};

TEST_F(ConnectionWaitTest, EndsOneTimeoutAfterTheRequestWentOut) {
  open();
  ask("get a\r\n");
  loop.advance(249ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(failures(Failure::ServerLate), 1U);
}

TEST_F(ConnectionWaitTest, IsNotProlongedByLaterRequests) {
  open();
  ask("get a\r\n");
  RecordingOwner others;
  for (int i = 0; i < 25; ++i) {
    loop.advance(9ms);
    ask("get b\r\n", others);
  }
  ASSERT_TRUE(owner.heard.empty());

  loop.advance(25ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
}

TEST_F(ConnectionWaitTest, BeginsAnewWithEveryByteThatComes) {
  open();
  ask("get a\r\n");
  const std::string bytes = "VALUE a 0 4\r\nabcd\r\nEND\r\n";
  for (const char byte : bytes) {
    loop.advance(249ms);
    reply(std::string(1, byte));
  }

  EXPECT_EQ(owner.heard, (Heard{"VALUE a 0 4\r\nabcd\r\n", "END\r\n"}));
  EXPECT_TRUE(host.incidents.empty());
}

TEST_F(ConnectionWaitTest, FailsAValueThatStopsInTheMiddleOneTimeoutAfterItsLastByte) {
  open();
  ask("get a\r\n");
  loop.advance(200ms);
  reply("VALUE a 0 100000\r\n" + std::string(50'000, 'x'));
  loop.advance(249ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].bytes_unread, 50'018U);
}

TEST_F(ConnectionWaitTest, LooksAtTheSocketBeforeItConcludesAnything) {
  open();
  ask("get a\r\n");
  peer().arrives("END\r\n");

  loop.advance(250ms);

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(metrics.timeouts_recovered.value(), 1U);
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(state(), Connection::State::Open);
}

TEST_F(ConnectionWaitTest, RecoversWhatThePollMisses) {
  open();
  ask("get a\r\n");
  peer().miss_polls(1);
  peer().arrives("END\r\n");

  loop.advance(250ms);

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(peer().polls_missed(), 1);
}

TEST_F(ConnectionWaitTest, IsATimeoutAtOnceWithoutRecovery) {
  options.timeout_recovery = false;
  open();
  ask("get a\r\n");
  peer().arrives("END\r\n");

  loop.advance(250ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(peer().polls(), 0U);
  EXPECT_EQ(host.incidents.size(), 1U);
}

TEST_F(ConnectionWaitTest, GoesOnWithAFreshWaitWhereTheLookBroughtAPart) {
  open();
  ask("get a\r\n");
  peer().arrives("VALUE a 0 1\r\n");
  loop.advance(250ms);
  loop.advance(249ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
}

TEST_F(ConnectionWaitTest, GrantsAFreshWaitAfterAStallOfOurs) {
  open();
  ask("get a\r\n");
  loop.stall(300ms);
  EXPECT_TRUE(owner.heard.empty());
  EXPECT_EQ(metrics.waits_granted.value(), 1U);
  loop.advance(200ms);

  reply("END\r\n");

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_TRUE(host.incidents.empty());
}

TEST_F(ConnectionWaitTest, GrantsOneWaitForOneStall) {
  open();
  ask("get a\r\n");
  loop.stall(300ms);
  loop.advance(249ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(metrics.waits_granted.value(), 1U);
}

TEST_F(ConnectionWaitTest, RemembersAStallInTheMiddleOfTheWait) {
  open();
  ask("get a\r\n");
  loop.stall(100ms);
  loop.advance(150ms);

  EXPECT_TRUE(owner.heard.empty());
  EXPECT_EQ(metrics.waits_granted.value(), 1U);
}

TEST_F(ConnectionWaitTest, DoesNotKeepADeadServerForAHostThatAlwaysStalls) {
  open();
  ask("get a\r\n");

  for (int i = 0; i < 10; ++i) loop.stall(300ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(metrics.waits_granted.value(), 4U);
}

TEST_F(ConnectionWaitTest, BlamesTheNetworkWhereNobodyAcknowledgesOurBytes) {
  open();
  ask("get a\r\n");
  net::TransportEvidence lost;
  lost.tcp.emplace();
  lost.tcp->segments_unacked = 1;
  lost.tcp->retransmits = 2;
  peer().set_evidence(lost);

  loop.advance(250ms);

  EXPECT_EQ(owner.heard, Heard{"!network_lost"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].timeout->transport.tcp->retransmits, 2U);
}

TEST_F(ConnectionWaitTest, IsOneIncidentHoweverManyWaitInVain) {
  open();
  for (int i = 0; i < 50; ++i) connection->submit(exchange("get a\r\n", owner));
  loop.end_turn();

  loop.advance(250ms);

  EXPECT_EQ(owner.heard, Heard(50, "!server_late"));
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].replies_owed, 50U);
}

TEST_F(ConnectionWaitTest, SaysWhenTheWaitOfAnIncidentBegan) {
  open();
  loop.advance(1s);
  const TimePoint asked = loop.now();
  ask("get a\r\n");

  loop.advance(250ms);

  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].began, asked);
}

TEST_F(ConnectionWaitTest, TimesOutARequestThatTheServerDoesNotEvenTake) {
  open();
  loop.dialed(0).takes_max = 3;
  ask("get a\r\n");
  loop.dialed(0).takes_max = 0;
  loop.advance(249ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].timeout->output_unsent, ByteCount{4});
}

TEST_F(ConnectionWaitTest, OfAnUnsentRequestDoesNotBeginBeforeItCameHere) {
  open();
  ask("get a\r\n");
  reply("END\r\n");
  loop.advance(249ms);
  ExchangePtr old = exchange("get b\r\n", owner);
  old->started = loop.now() - 400ms;  // a part of a request that came in portions
  connection->submit(std::move(old));

  loop.advance(1ms);  // the timer of the first wait, before the turn ends
  reply("END\r\n");

  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "END\r\n"}));
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(metrics.timeouts_recovered.value(), 0U);
}

TEST_F(ConnectionWaitTest, LeavesTheTimerAloneForEachRequest) {
  open();
  for (int i = 0; i < 100; ++i) {
    ask("get a\r\n");
    loop.advance(20ms);
    reply("END\r\n");
    loop.advance(20ms);
  }

  EXPECT_EQ(owner.heard.size(), 100U);
  EXPECT_TRUE(host.incidents.empty());
}

// ---- after a real timeout

TEST_F(ConnectionWaitTest, RetiresTheConnectionOnARealTimeout) {
  open();
  ask("get a\r\n");

  loop.advance(250ms);

  EXPECT_EQ(state(), Connection::State::Retired);
  EXPECT_EQ(host.retired, 1);
  EXPECT_FALSE(connection->takes_exchanges());
  EXPECT_EQ(metrics.connections_retired.value(), 1U);
  EXPECT_FALSE(peer().closed());
}

TEST_F(ConnectionWaitTest, HandsOverWhatARetiredConnectionHasNotSent) {
  open();
  ask("get a\r\n");
  loop.advance(249ms);
  loop.dialed(0).takes_max = 0;
  ask("get b\r\n");
  ask("get c\r\n");

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(host.commands_again(), (Heard{"get b\r\n", "get c\r\n"}));
}

TEST_F(ConnectionWaitTest, DropsALateReplyAndClosesOnceNothingIsOwed) {
  open();
  ask("get a\r\n");
  loop.advance(250ms);

  reply("VALUE a 0 1\r\n1\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(metrics.late_replies_dropped.value(), 1U);
  EXPECT_EQ(host.answered, 0);
  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_EQ(host.closed, 1);
}

TEST_F(ConnectionWaitTest, StillGivesOthersTheirRepliesWithinTheirOwnWaits) {
  open();
  RecordingOwner second;
  ask("get a\r\n");
  loop.advance(200ms);
  ask("get b\r\n", second);
  loop.advance(50ms);
  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_TRUE(second.heard.empty());
  loop.advance(100ms);

  reply("END\r\nVALUE b 0 1\r\n2\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(second.heard, (Heard{"VALUE b 0 1\r\n2\r\n", "END\r\n"}));
  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_EQ(host.incidents.size(), 1U);
}

TEST_F(ConnectionWaitTest, OfOthersOnARetiredConnectionEndsWithoutAnotherIncident) {
  open();
  RecordingOwner second;
  ask("get a\r\n");
  loop.advance(200ms);
  ask("get b\r\n", second);

  loop.advance(250ms);

  EXPECT_EQ(second.heard, Heard{"!server_late"});
  EXPECT_EQ(host.incidents.size(), 1U);
}

TEST_F(ConnectionWaitTest, OnARetiredConnectionCountsWhatTheLastLookRecovered) {
  open();
  RecordingOwner second;
  ask("get a\r\n");
  loop.advance(200ms);
  ask("get b\r\n", second);
  loop.advance(50ms);
  peer().arrives("END\r\nEND\r\n");

  loop.advance(200ms);

  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_EQ(metrics.timeouts_recovered.value(), 1U);
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(ConnectionWaitTest, ClosesARetiredConnectionAfterItsTime) {
  open();
  ask("get a\r\n");
  loop.advance(250ms + 4999ms);
  EXPECT_EQ(state(), Connection::State::Retired);

  loop.advance(1ms);

  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_EQ(connection->owed(), 0U);
}

TEST_F(ConnectionWaitTest, ClosesARetiredConnectionThatDropsTooManyBytes) {
  open();
  ask("get a\r\n");
  loop.advance(250ms);
  const std::string value = "VALUE a 0 1048576\r\n" + std::string(1 << 20, 'x') + "\r\n";
  int values = 0;
  while (state() == Connection::State::Retired && values < 100) {
    for (std::size_t at = 0; at < value.size(); at += 16384) peer().push(value.substr(at, 16384));
    ++values;
  }

  EXPECT_EQ(values, 64);
  EXPECT_EQ(blocks.in_use(), 0U);
}

TEST_F(ConnectionWaitTest, DoesNotCountAgainstARetiredConnectionWhatItDroppedBefore) {
  open();
  ExchangePtr given_up = exchange("get a\r\n", owner);
  given_up->give_up();
  connection->submit(std::move(given_up));
  loop.end_turn();
  const std::string value = "VALUE a 0 1048576\r\n" + std::string(1 << 20, 'x') + "\r\n";
  for (int i = 0; i < 70; ++i) {
    for (std::size_t at = 0; at < value.size(); at += 16384) peer().push(value.substr(at, 16384));
  }
  ask("get b\r\n");
  loop.advance(250ms);

  reply("EN");

  EXPECT_EQ(state(), Connection::State::Retired);
}

TEST_F(ConnectionWaitTest, DoesNotKeepAConnectionThatOwesTooManyReplies) {
  open();
  for (int i = 0; i < 10'001; ++i) connection->submit(exchange("get a\r\n", owner));
  loop.end_turn();
  loop.advance(1ms);
  RecordingOwner later;
  for (int i = 0; i < 5; ++i) ask("get b\r\n", later);

  loop.advance(249ms);

  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_EQ(owner.heard, Heard(10'001, "!server_late"));
  EXPECT_EQ(later.heard, Heard(5, "!server_late"));
  EXPECT_EQ(connection->owed(), 0U);
}

}  // namespace
}  // namespace mcsteady::upstream
