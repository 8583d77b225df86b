#include "upstream/shared_line.h"

#include <gtest/gtest.h>

#include <array>

#include "upstream/connection_fixture.h"

namespace mcsteady::upstream {
namespace {

class SharedLineTest : public ConnectionTest {
 protected:
  SharedLineTest() {
    options.gather_gets = true;
    open();
  }
  Exchange& submit(std::string_view command, Exchange::Owner& who,
                   protocol::Verb verb = protocol::Verb::Get) {
    ExchangePtr made = exchange(command, who, protocol::reply_shape(verb));
    made->verb = verb;
    Exchange& handle = *made;
    connection->submit(std::move(made));
    return handle;
  }
  void submit_three() {
    first_exchange = &submit("get a\r\n", first);
    second_exchange = &submit("get b\r\n", second);
    third_exchange = &submit("get c\r\n", third);
  }
  void ask_three() {
    submit_three();
    loop.end_turn();
  }

  RecordingOwner first, second, third;
  Exchange* first_exchange = nullptr;
  Exchange* second_exchange = nullptr;
  Exchange* third_exchange = nullptr;
};

TEST_F(SharedLineTest, SendsTheGetsOfATurnAsOne) {
  ask_three();

  EXPECT_EQ(peer().sent(), "get a b c\r\n");
}

TEST_F(SharedLineTest, GivesEachItsItemsAndAnEndOfItsOwn) {
  ask_three();

  reply("VALUE a 0 1\r\n1\r\nVALUE c 0 1\r\n3\r\nEND\r\n");

  EXPECT_EQ(first.heard, (Heard{"VALUE a 0 1\r\n1\r\n", "END\r\n"}));
  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_EQ(third.heard, (Heard{"VALUE c 0 1\r\n3\r\n", "END\r\n"}));
  EXPECT_EQ(metrics.answered.value(), 3U);
  EXPECT_EQ(connection->owed(), 0U);
}

TEST_F(SharedLineTest, AnswersThoseBeforeAnItemAtOnce) {
  ask_three();

  reply("VALUE b 0 1\r\n2\r\n");

  EXPECT_EQ(first.heard, Heard{"END\r\n"});
  EXPECT_EQ(second.heard, Heard{"VALUE b 0 1\r\n2\r\n"});
}

TEST_F(SharedLineTest, TellsWhoAskedForTheSameKeyApart) {
  submit("get a\r\n", first);
  submit("get a\r\n", second);
  loop.end_turn();

  reply("VALUE a 0 1\r\n1\r\nVALUE a 0 1\r\n2\r\nEND\r\n");

  EXPECT_EQ(first.heard, (Heard{"VALUE a 0 1\r\n1\r\n", "END\r\n"}));
  EXPECT_EQ(second.heard, (Heard{"VALUE a 0 1\r\n2\r\n", "END\r\n"}));
}

TEST_F(SharedLineTest, TakesGetsOfSeveralKeysToo) {
  submit("get a b\r\n", first);
  submit("get c d\r\n", second);
  loop.end_turn();

  reply("VALUE b 0 1\r\n1\r\nVALUE d 0 1\r\n2\r\nEND\r\n");

  EXPECT_EQ(peer().sent(), "get a b c d\r\n");
  EXPECT_EQ(first.heard, (Heard{"VALUE b 0 1\r\n1\r\n", "END\r\n"}));
  EXPECT_EQ(second.heard, (Heard{"VALUE d 0 1\r\n2\r\n", "END\r\n"}));
}

TEST_F(SharedLineTest, KeepsTheOrderAroundOtherCommands) {
  submit("get a\r\n", first);
  submit("delete b\r\n", second, protocol::Verb::Delete);
  submit("get b\r\n", third);
  submit("get c\r\n", owner);
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get a\r\ndelete b\r\nget b c\r\n");
}

TEST_F(SharedLineTest, AsksForCasNumbersOnALineOfTheirOwn) {
  submit("get a\r\n", first);
  submit("gets b\r\n", second, protocol::Verb::Gets);
  submit("gets c\r\n", third, protocol::Verb::Gets);
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get a\r\ngets b c\r\n");
}

TEST_F(SharedLineTest, LeavesWhatTouchesItemsAlone) {
  submit("gat 1 a\r\n", first, protocol::Verb::Gat);
  submit("gat 1 b\r\n", second, protocol::Verb::Gat);
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "gat 1 a\r\ngat 1 b\r\n");
}

TEST_F(SharedLineTest, BeginsANewLineWhereOneWouldGetLong) {
  const std::string key(240, 'k');
  for (int i = 0; i < 6; ++i) submit("get " + key + "\r\n", owner);
  loop.end_turn();

  const std::string line = "get " + key + " " + key + " " + key + " " + key + "\r\n";
  EXPECT_EQ(peer().sent(), line + "get " + key + " " + key + "\r\n");
}

TEST_F(SharedLineTest, AddsNothingToALineThatHasBegunToLeave) {
  submit_three();
  peer().send_flushed(5);  // "get a"
  submit("get d\r\n", owner);
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get a b c\r\nget d\r\n");
}

TEST_F(SharedLineTest, LeavesOutWhatIsGivenUpBeforeItIsSent) {
  std::array<iovec, 64> places{};
  submit_three();
  loop.dialed(0).handler.pieces(places);  // the kernel took nothing of them
  second_exchange->give_up();
  loop.end_turn();
  EXPECT_EQ(peer().sent(), "get a c\r\n");

  reply("VALUE c 0 1\r\n3\r\nEND\r\n");

  EXPECT_EQ(first.heard, Heard{"END\r\n"});
  EXPECT_EQ(third.heard, (Heard{"VALUE c 0 1\r\n3\r\n", "END\r\n"}));
}

TEST_F(SharedLineTest, CanDoWithoutTheFirstAndWithoutTheLast) {
  std::array<iovec, 64> places{};
  submit_three();
  loop.dialed(0).handler.pieces(places);
  first_exchange->give_up();
  third_exchange->give_up();
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get b\r\n");
}

TEST_F(SharedLineTest, FinishesALineWhoseLastKeyNobodyWantsAnyMore) {
  submit_three();
  peer().send_flushed(7);  // "get a b"
  third_exchange->give_up();
  loop.end_turn();
  EXPECT_EQ(peer().sent(), "get a b c\r\n");

  reply("VALUE a 0 1\r\n1\r\nVALUE c 0 1\r\n3\r\nEND\r\n");

  EXPECT_EQ(first.heard, (Heard{"VALUE a 0 1\r\n1\r\n", "END\r\n"}));
  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_TRUE(third.heard.empty());
  EXPECT_EQ(connection->owed(), 0U);
}

TEST_F(SharedLineTest, EndsALineOfWhichTheRestIsNotWantedWhereItStands) {
  submit_three();
  peer().send_flushed(6);  // "get a "
  third_exchange->give_up();
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get a b\r\n");
}

TEST_F(SharedLineTest, TellsAllOfAnError) {
  ask_three();

  reply("VALUE a 0 1\r\n1\r\nSERVER_ERROR out of memory writing get response\r\n");

  const std::string error = "SERVER_ERROR out of memory writing get response\r\n";
  EXPECT_EQ(first.heard, (Heard{"VALUE a 0 1\r\n1\r\n", error}));
  EXPECT_EQ(second.heard, Heard{error});
  EXPECT_EQ(third.heard, Heard{error});
}

TEST_F(SharedLineTest, TakesAReplyBeforeTheLineWasWholeForAConnectionOutOfStep) {
  submit_three();
  peer().send_flushed(5);  // "get a"

  peer().push("ERROR\r\n");

  EXPECT_EQ(first.heard, Heard{"ERROR\r\n"});
  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_EQ(connection->owed(), 0U);
}

TEST_F(SharedLineTest, TakesAForeignKeyForAConnectionOutOfStep) {
  ask_three();

  reply("VALUE x 0 1\r\n1\r\nEND\r\n");

  for (const RecordingOwner* who : {&first, &second, &third}) {
    EXPECT_EQ(who->heard, Heard{"!bad_reply"});
  }
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(SharedLineTest, TakesAKeyThatWasPassedForAConnectionOutOfStep) {
  ask_three();

  reply("VALUE b 0 1\r\n2\r\nVALUE a 0 1\r\n1\r\nEND\r\n");

  EXPECT_EQ(third.heard, Heard{"!bad_reply"});
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(SharedLineTest, KeepsALargeValueBehindARequestThatWasGivenUp) {
  ask_three();
  first_exchange->give_up();
  const std::string value(100'000, 'v');

  reply("VALUE a 0 1\r\n1\r\nVALUE b 0 100000\r\n" + value + "\r\nEND\r\n");

  EXPECT_TRUE(first.heard.empty());
  EXPECT_EQ(second.heard, (Heard{"VALUE b 0 100000\r\n" + value + "\r\n", "END\r\n"}));
  EXPECT_EQ(third.heard, Heard{"END\r\n"});
}

TEST_F(SharedLineTest, FailsOnlyTheOneWhoseValueIsTooLarge) {
  options.value_max = ByteCount{10};
  connection->abort(Failure::ConnectionLost);
  connection.emplace(options, context, metrics, deadlines, static_cast<ConnectionHost&>(host));
  connection->open(net::numeric_address(options.endpoint));
  loop.dialed(1).connects();
  ask_three();

  loop.dialed(1).memory.push("VALUE b 0 11\r\n12345678901\r\nVALUE c 0 1\r\n3\r\nEND\r\n");

  EXPECT_EQ(first.heard, Heard{"END\r\n"});
  EXPECT_EQ(second.heard, Heard{"!value_too_large"});
  EXPECT_EQ(third.heard, (Heard{"VALUE c 0 1\r\n3\r\n", "END\r\n"}));
}

TEST_F(SharedLineTest, ARetiredConnectionFinishesItsLineAndHandsTheRestOver) {
  submit_three();
  peer().send_flushed(6);  // "get a "

  connection->retire();
  loop.end_turn();

  EXPECT_EQ(peer().sent(), "get a b\r\n");
  EXPECT_EQ(host.commands_again(), Heard{"get c\r\n"});
}

TEST_F(SharedLineTest, EachIsSentAgainByItselfWhereTheConnectionWasClosedWhileIdle) {
  ask("get x\r\n");
  reply("END\r\n");
  ask_three();

  peer().push_end_of_file();

  EXPECT_EQ(host.commands_again(), (Heard{"get a\r\n", "get b\r\n", "get c\r\n"}));
  for (const ExchangePtr& again : host.again) {
    EXPECT_EQ(SharedLine::wire_head(*again), again->command());
  }
}

TEST_F(SharedLineTest, ATimeoutFailsWhatWaitedAndTheRestMayStillCome) {
  submit("get a\r\n", first);
  submit("get b\r\n", second);
  loop.end_turn();
  reply("VALUE a 0 1\r\n1\r\n");
  loop.advance(300ms);
  EXPECT_EQ(first.heard.back(), "!server_late");
  EXPECT_EQ(second.heard, Heard{"!server_late"});

  reply("END\r\n");

  EXPECT_EQ(state(), Connection::State::Closed);  // it owes nothing any more
  EXPECT_EQ(host.incidents.size(), 1U);
}

}  // namespace
}  // namespace mcsteady::upstream
