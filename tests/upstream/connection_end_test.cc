// How connections begin and end: connects that fail, end of file in every place, resets.

#include <gtest/gtest.h>

#include "upstream/connection_fixture.h"

namespace mcsteady::upstream {
namespace {

class ConnectionEndTest : public ConnectionTest {};

TEST_F(ConnectionEndTest, SendsWhatWasAskedForBeforeItWasThere) {
  open_unconnected();
  ask("get a\r\n");
  loop.advance(100ms);

  loop.dialed(0).connects();
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get a\r\n");
  EXPECT_EQ(state(), Connection::State::Open);
}

TEST_F(ConnectionEndTest, WaitsForAReplyFromWhenItWasThere) {
  open_unconnected();
  ask("get a\r\n");
  loop.advance(400ms);
  loop.dialed(0).connects();
  loop.end_turn();
  loop.advance(249ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
}

TEST_F(ConnectionEndTest, FailsWhatWaitsWhenTheConnectIsRefused) {
  open_unconnected();
  ask("get a\r\n");

  loop.dialed(0).refuses();

  EXPECT_EQ(owner.heard, Heard{"!connect_refused"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].cause, Failure::ConnectRefused);
  EXPECT_EQ(host.incidents[0].error_number, 111);
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(ConnectionEndTest, FailsWhatWaitsWhenTheConnectTakesTooLong) {
  open_unconnected();
  ask("get a\r\n");
  loop.advance(499ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!connect_timeout"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].cause, Failure::ConnectTimeout);
}

TEST_F(ConnectionEndTest, SeesThatTheConnectionIsThereBeforeItConcludesAnything) {
  open_unconnected();
  ask("get a\r\n");
  loop.dialed(0).connected_unseen = true;

  loop.advance(500ms);

  EXPECT_EQ(state(), Connection::State::Open);
  EXPECT_EQ(peer().sent(), "get a\r\n");
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(metrics.timeouts_recovered.value(), 1U);
}

TEST_F(ConnectionEndTest, GrantsAConnectAnotherWaitAfterAStallOfOurs) {
  open_unconnected();
  ask("get a\r\n");
  loop.stall(600ms);
  EXPECT_TRUE(owner.heard.empty());
  loop.advance(499ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!connect_timeout"});
  EXPECT_EQ(metrics.waits_granted.value(), 1U);
}

TEST_F(ConnectionEndTest, FailsInALaterTurnWhereThereIsNoAddress) {
  connection.emplace(options, context, metrics, deadlines, static_cast<ConnectionHost&>(host));
  connection->open(std::nullopt);
  connection->submit(exchange("get a\r\n", owner));
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(0ms);

  EXPECT_EQ(owner.heard, Heard{"!connect_failed"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].cause, Failure::ConnectFailed);
}

TEST_F(ConnectionEndTest, TakesAnEndBetweenRequestsForNoFault) {
  open();
  ask("get a\r\n");
  reply("END\r\n");

  peer().push_end_of_file();

  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(metrics.connections_closed_idle.value(), 1U);
  EXPECT_EQ(metrics.connections.value(), 0);
}

TEST_F(ConnectionEndTest, SendsAgainWhatCrossedTheEndOfAnIdleConnection) {
  open();
  ask("get a\r\n");
  reply("END\r\n");
  loop.advance(1s);
  ask("get b\r\n");

  peer().push_end_of_file();

  EXPECT_EQ(host.commands_again(), Heard{"get b\r\n"});
  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_TRUE(host.incidents.empty());
}

TEST_F(ConnectionEndTest, DoesNotRepeatWhatIsNotIdempotent) {
  open();
  ask("get a\r\n");
  reply("END\r\n");
  ExchangePtr incr = line_exchange("incr n 1\r\n", owner);
  incr->idempotent = false;
  connection->submit(std::move(incr));
  loop.end_turn();

  peer().push_breakage({net::StreamError::Reset, 104});

  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "!connection_lost"}));
  EXPECT_TRUE(host.again.empty());
  EXPECT_TRUE(host.incidents.empty());  // servers close idle connections: normal life
}

TEST_F(ConnectionEndTest, SendsAgainWhatWasNeverWhollySentIdempotentOrNot) {
  open();
  ask("get a\r\n");
  ExchangePtr incr = line_exchange("incr n 1\r\n", owner);
  incr->idempotent = false;
  connection->submit(std::move(incr));
  peer().send_flushed(4);

  peer().push_end_of_file();

  EXPECT_EQ(owner.heard, Heard{"!connection_lost"});
  EXPECT_EQ(host.commands_again(), Heard{"incr n 1\r\n"});
}

TEST_F(ConnectionEndTest, SendsAgainOnce) {
  open();
  ask("get a\r\n");
  reply("END\r\n");
  ask("get b\r\n");
  peer().push_end_of_file();
  ASSERT_EQ(host.again.size(), 1U);
  ExchangePtr again = std::move(host.again[0]);
  host.again.clear();
  connection.reset();
  connection.emplace(options, context, metrics, deadlines, static_cast<ConnectionHost&>(host));
  connection->open(net::numeric_address(options.endpoint));
  loop.dialed(1).connects();
  connection->submit(std::move(again));

  loop.dialed(1).memory.push_end_of_file();

  EXPECT_TRUE(host.again.empty());
  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "!connection_lost"}));
}

TEST_F(ConnectionEndTest, TakesAFreshConnectionThatEndsForAFault) {
  open();
  ask("get a\r\n");

  peer().push_end_of_file();

  EXPECT_EQ(owner.heard, Heard{"!connection_lost"});
  EXPECT_EQ(host.incidents.size(), 1U);
}

TEST_F(ConnectionEndTest, NeverPassesOnAReplyThatBrokeOff) {
  for (const char* part : {"VAL", "VALUE a 0 5\r\n12", "VALUE a 0 5\r\n12345\r"}) {
    SCOPED_TRACE(part);
    RecordingOwner mine;
    connection.reset();
    host.incidents.clear();
    const std::size_t dials = loop.dials();
    open_unconnected();
    loop.dialed(dials).connects();
    connection->submit(exchange("get a\r\n", mine));
    loop.end_turn();
    loop.dialed(dials).memory.push(part);

    loop.dialed(dials).memory.push_end_of_file();

    EXPECT_EQ(mine.heard, Heard{"!connection_lost"});
    ASSERT_EQ(host.incidents.size(), 1U);
    EXPECT_EQ(host.incidents[0].bytes_unread, std::string(part).size());
  }
}

TEST_F(ConnectionEndTest, DoesNotRepeatARequestWhoseReplyHadBegun) {
  open();
  ask("get a\r\n");
  reply("END\r\n");
  ask("get a b\r\n");
  reply("VALUE a 0 1\r\n1\r\n");

  peer().push_end_of_file();

  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "VALUE a 0 1\r\n1\r\n", "!connection_lost"}));
  EXPECT_TRUE(host.again.empty());
}

TEST_F(ConnectionEndTest, DeliversAReplyOnceThatCameBeforeTheEnd) {
  open();
  ask("get a\r\n");
  peer().arrives("VALUE a 0 1\r\n1\r\nEND\r\n");

  peer().push_end_of_file();
  peer().notice();

  EXPECT_EQ(owner.heard, (Heard{"VALUE a 0 1\r\n1\r\n", "END\r\n"}));
  EXPECT_TRUE(host.incidents.empty());
}

TEST_F(ConnectionEndTest, OfARetiredConnectionIsNoFurtherIncident) {
  open();
  RecordingOwner second;
  ask("get a\r\n");
  loop.advance(200ms);
  ask("get b\r\n", second);
  loop.advance(50ms);

  peer().push_end_of_file();

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(second.heard, Heard{"!connection_lost"});
  EXPECT_EQ(host.incidents.size(), 1U);
}

TEST_F(ConnectionEndTest, ForgetsRequestsThatWereGivenUp) {
  open();
  ExchangePtr given_up = exchange("get a\r\n", owner);
  given_up->give_up();
  connection->submit(std::move(given_up));
  loop.end_turn();

  peer().push_end_of_file();

  EXPECT_TRUE(owner.heard.empty());
  EXPECT_TRUE(host.again.empty());
  EXPECT_EQ(exchanges.in_use(), 0U);
}

TEST_F(ConnectionEndTest, ByAbortFailsEverythingWithoutAnIncident) {
  open();
  ask("get a\r\n");
  connection->submit(exchange("get b\r\n", owner));

  connection->abort(Failure::ConnectionLost);

  EXPECT_EQ(owner.heard, Heard(2, "!connection_lost"));
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(host.closed, 1);
  EXPECT_EQ(loop.timers_set(), 1U);  // the beat's last
}

TEST_F(ConnectionEndTest, ClosesAtOnceWhenItHasDoneItsWork) {
  open();
  ask("get a\r\n");
  reply("END\r\n");

  connection->close_when_done();

  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_EQ(metrics.connections_retired.value(), 0U);
}

TEST_F(ConnectionEndTest, TellsOfItsCloseOnce) {
  open();
  ask("get a\r\n");
  peer().push_end_of_file();

  connection->abort(Failure::ConnectionLost);
  connection->close_when_done();

  EXPECT_EQ(host.closed, 1);
}

TEST_F(ConnectionEndTest, TakesNoReplyFromAServerThatIsFull) {
  open();
  ask("get a\r\n");
  ask("get b\r\n");

  reply("ERROR Too many open connections\r\n");

  EXPECT_EQ(owner.heard, (Heard{"!server_full", "!server_full"}));
  EXPECT_EQ(host.answered, 0);
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].cause, Failure::ServerFull);
}

TEST_F(ConnectionEndTest, PassesOnTheSameWordsOnceItHasAnswered) {
  open();
  ask("get a\r\n");
  reply("END\r\n");
  ask("get b\r\n");

  reply("ERROR Too many open connections\r\n");

  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "ERROR Too many open connections\r\n"}));
}

TEST_F(ConnectionEndTest, IsOutOfStepWhereAnItemWasNotAskedFor) {
  open();
  ask("get a ab\r\n");

  reply("VALUE b 0 1\r\nx\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!bad_reply"});
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(ConnectionEndTest, TakesItemsOfTheSameKeyAsOftenAsItWasAskedFor) {
  open();
  ask("get a a\r\n");
  const std::string item = "VALUE a 0 1\r\nx\r\n";

  reply(item + item + item);

  EXPECT_EQ(owner.heard, (Heard{item, item, "!bad_reply"}));
}

TEST_F(ConnectionEndTest, BlamesNobodyForAShortageOfOurs) {
  open_unconnected();
  ask("get a\r\n");

  peer().push_breakage({net::StreamError::OurShortage, 24});

  EXPECT_EQ(owner.heard, Heard{"!our_shortage"});
  EXPECT_TRUE(host.incidents.empty());
}

TEST_F(ConnectionEndTest, DoesNotSendWhatIsGivenUpBeforeItsTurn) {
  open_unconnected();
  ExchangePtr unwanted = exchange("get a\r\n", owner);
  Exchange& given_up = *unwanted;
  connection->submit(std::move(unwanted));

  given_up.give_up();

  EXPECT_EQ(connection->owed(), 0U);
  EXPECT_EQ(exchanges.in_use(), 0U);
}

}  // namespace
}  // namespace mcsteady::upstream
