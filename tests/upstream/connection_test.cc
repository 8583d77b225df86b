#include <gtest/gtest.h>

#include <array>

#include "upstream/connection_fixture.h"

namespace mcsteady::upstream {
namespace {

TEST_F(ConnectionTest, SendsTheRequestsOfOneTurnInOneWrite) {
  open();
  for (const char* command : {"get a\r\n", "get b\r\n", "get c\r\n"}) {
    connection->submit(exchange(command, owner));
  }

  loop.end_turn();

  EXPECT_EQ(peer().sends(), 1U);
  EXPECT_EQ(peer().sent(), "get a\r\nget b\r\nget c\r\n");
}

TEST_F(ConnectionTest, OffersASetAndItsLargeBodyInPlace) {
  open();
  ExchangePtr set = line_exchange("set a 0 0 100000\r\n", owner);
  set->body = blocks.allocate(100'002);
  std::memset(set->body.data(), 'x', 100'002);
  set->body_size = 100'002;
  connection->submit(std::move(set));
  connection->submit(exchange("get b\r\n", owner));

  loop.end_turn();

  EXPECT_EQ(peer().sends(), 1U);
  EXPECT_EQ(peer().sent(), "set a 0 0 100000\r\n" + std::string(100'002, 'x') + "get b\r\n");
}

TEST_F(ConnectionTest, GoesOnWhereASendWasShort) {
  open();
  ExchangePtr set = line_exchange("set a 0 0 10\r\n", owner);
  set->body = blocks.allocate(12);
  std::memcpy(set->body.data(), "0123456789\r\n", 12);
  set->body_size = 12;
  connection->submit(std::move(set));
  connection->submit(exchange("get b\r\n", owner));

  while (peer().send_flushed(1) > 0) {
  }

  EXPECT_EQ(peer().sent(), "set a 0 0 10\r\n0123456789\r\nget b\r\n");
}

TEST_F(ConnectionTest, FillsEveryPlaceItIsOffered) {
  open();
  for (int i = 0; i < 200; ++i) connection->submit(exchange("get a\r\n", owner));
  // A stream that is given fewer pieces than it has places for takes it that this was all.
  std::array<iovec, 64> places{};

  EXPECT_EQ(loop.dialed(0).handler.pieces(places), places.size());
}

TEST_F(ConnectionTest, GivesRepliesToTheirOwnersInOrder) {
  open();
  RecordingOwner second;
  ask("get a\r\n", owner);
  ask("set b 0 0 1\r\n1\r\n", second, protocol::ReplyShape::Line);

  reply("VALUE a 0 1\r\n1\r\nEND\r\nSTORED\r\n");

  EXPECT_EQ(owner.heard, (Heard{"VALUE a 0 1\r\n1\r\n", "END\r\n"}));
  EXPECT_EQ(second.heard, Heard{"STORED\r\n"});
  EXPECT_EQ(connection->owed(), 0U);
  EXPECT_EQ(host.answered, 2);
  EXPECT_EQ(metrics.answered.value(), 2U);
}

TEST_F(ConnectionTest, GoesOnAfterAnErrorReply) {
  open();
  RecordingOwner second;
  ask("get a\r\n", owner);
  ask("get b\r\n", second);

  reply("SERVER_ERROR out of memory\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"SERVER_ERROR out of memory\r\n"});
  EXPECT_EQ(second.heard, Heard{"END\r\n"});
}

TEST_F(ConnectionTest, MeasuresAReplyFromTheLastByteOutToItsEnd) {
  open();
  ask("get a\r\n");
  loop.advance(3ms);
  reply("EN");
  loop.advance(2ms);
  reply("D\r\n");

  EXPECT_EQ(metrics.response_time.sum(), 5'000'000U);
}

TEST_F(ConnectionTest, TakesAReplyThatComesBeforeTheSetWasWhollySent) {
  open();
  ExchangePtr set = line_exchange("set a 0 0 10\r\n", owner);
  set->body = blocks.allocate(12);
  std::memcpy(set->body.data(), "0123456789\r\n", 12);
  set->body_size = 12;
  connection->submit(std::move(set));
  RecordingOwner second;
  connection->submit(exchange("get b\r\n", second));
  peer().send_flushed(20);

  peer().push("SERVER_ERROR object too large for cache\r\n");
  EXPECT_EQ(owner.heard, Heard{"SERVER_ERROR object too large for cache\r\n"});
  EXPECT_EQ(connection->owed(), 2U);
  loop.end_turn();
  reply("END\r\n");

  EXPECT_EQ(peer().sent(), "set a 0 0 10\r\n0123456789\r\nget b\r\n");
  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_EQ(connection->owed(), 0U);
  EXPECT_EQ(state(), Connection::State::Open);
}

TEST_F(ConnectionTest, ReadsAndDropsTheReplyOfARequestThatWasGivenUp) {
  open();
  ExchangePtr given_up = exchange("get a\r\n", owner);
  Exchange& handle = *given_up;
  connection->submit(std::move(given_up));
  loop.end_turn();
  handle.give_up();
  RecordingOwner second;
  ask("get b\r\n", second);

  reply("VALUE a 0 1\r\n1\r\nEND\r\nEND\r\n");

  EXPECT_TRUE(owner.heard.empty());
  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_EQ(metrics.unwanted_replies_dropped.value(), 1U);
}

TEST_F(ConnectionTest, FailsOnlyTheRequestWhoseValueIsTooLarge) {
  options.value_max = ByteCount{100};
  open();
  RecordingOwner second;
  ask("get a\r\n", owner);
  ask("get b\r\n", second);

  reply("VALUE a 0 50000\r\n" + std::string(50'000, 'x') + "\r\nEND\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!value_too_large"});
  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_EQ(state(), Connection::State::Open);
  EXPECT_TRUE(host.incidents.empty());
}

TEST_F(ConnectionTest, TakesRequestsFromWithinAReply) {
  struct Chain final : RecordingOwner {
    void on_line(Exchange& exchange, const protocol::ReplyLine& line) override {
      RecordingOwner::on_line(exchange, line);
      if (heard.size() < 3) ask_again();
    }
    std::function<void()> ask_again;
  } chain;
  chain.ask_again = [&] { connection->submit(exchange("get a\r\n", chain)); };
  open();
  ask("get a\r\n", chain);

  reply("END\r\n");
  reply("END\r\n");
  reply("END\r\n");

  EXPECT_EQ(chain.heard, (Heard{"END\r\n", "END\r\n", "END\r\n"}));
  EXPECT_EQ(peer().sends(), 3U);
}

TEST_F(ConnectionTest, HoldsNoMemoryAndNoTimerWhileIdle) {
  open();
  ask("get a\r\n");
  reply("VALUE a 0 100000\r\n" + std::string(100'000, 'x') + "\r\nEND\r\n");
  owner.kept.clear();

  loop.advance(1s);

  EXPECT_EQ(blocks.in_use(), 0U);
  EXPECT_EQ(loop.timers_set(), 0U);
  EXPECT_EQ(exchanges.in_use(), 0U);
}

TEST_F(ConnectionTest, DiscardsItselfWhenBytesComeThatNobodyAskedFor) {
  open();

  reply("STORED\r\n");

  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(metrics.stray_bytes.value(), 1U);
}

TEST_F(ConnectionTest, HandsOverWhatWasNotSentWhenStrayBytesCome) {
  open();
  connection->submit(exchange("get a\r\n", owner));

  peer().push("STORED\r\n");

  EXPECT_EQ(host.commands_again(), Heard{"get a\r\n"});
  EXPECT_TRUE(owner.heard.empty());
  EXPECT_TRUE(host.incidents.empty());
  EXPECT_EQ(metrics.stray_bytes.value(), 1U);
}

TEST_F(ConnectionTest, ClosesOnBytesThatAreNoReply) {
  open();
  RecordingOwner second;
  ask("get a\r\n", owner);
  ask("get b\r\n", second);

  reply("HELLO\r\n");

  EXPECT_EQ(owner.heard, Heard{"!bad_reply"});
  EXPECT_EQ(second.heard, Heard{"!bad_reply"});
  ASSERT_EQ(host.incidents.size(), 1U);
  EXPECT_EQ(host.incidents[0].cause, Failure::BadReply);
  EXPECT_EQ(state(), Connection::State::Closed);
  EXPECT_TRUE(peer().closed());
}

TEST_F(ConnectionTest, CountsWhatItMoves) {
  open();
  ask("get a\r\n");
  EXPECT_EQ(metrics.owed.value(), 1);
  reply("END\r\n");

  EXPECT_EQ(metrics.requests.value(), 1U);
  EXPECT_EQ(metrics.bytes_sent.value(), 7U);
  EXPECT_EQ(metrics.bytes_received.value(), 5U);
  EXPECT_EQ(metrics.owed.value(), 0);
  EXPECT_EQ(metrics.connections.value(), 1);
  EXPECT_EQ(metrics.connections_opened.value(), 1U);
}

}  // namespace
}  // namespace mcsteady::upstream
