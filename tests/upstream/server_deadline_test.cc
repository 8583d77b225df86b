// Whole-request deadlines: whatever a request waits for, it is answered by then.

#include <gtest/gtest.h>

#include "mcsteady/net/address.h"
#include "mcsteady/upstream/server.h"
#include "support/capture_log.h"
#include "upstream/upstream_fixture.h"

namespace mcsteady::upstream {
namespace {

using Heard = std::vector<std::string>;

/// Request 400 ms, wait 250 ms, connect 500 ms.
class ServerDeadlineTest : public UpstreamTest {
 protected:
  ServerDeadlineTest() {
    options.request_timeout = 400ms;
    shared = fleet.server(options.name, options.endpoint, options.health);
    shared->set_address(*net::numeric_address(options.endpoint));
    server.emplace(options, context, *shared);
  }
  void ask(std::string_view command, Exchange::Owner& who) {
    server->submit(exchange(command, who), 0);
    loop.end_turn();
  }
  void connect() {
    loop.dialed(0).connects();
    loop.end_turn();
  }
  void reply(std::string_view bytes) {
    loop.dialed(0).memory.push(bytes);
    loop.end_turn();
  }
  std::uint64_t expired() const {
    return server->metrics().failures[static_cast<std::size_t>(Failure::RequestDeadline)].value();
  }

  test::CaptureLog log;
  Fleet fleet{log, 1};
  Fleet::ServerPtr shared;
  std::optional<Server> server;
};

TEST_F(ServerDeadlineTest, EndsARequestThatWaitsForAConnection) {
  ask("get a\r\n", owner);
  loop.advance(399ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
  EXPECT_EQ(expired(), 1U);
  connect();
  EXPECT_EQ(loop.dialed(0).memory.sent(), "");
}

TEST_F(ServerDeadlineTest, EndsARequestWhoseReplyTrickles) {
  ask("get a\r\n", owner);
  connect();
  for (int i = 0; i < 4; ++i) {
    loop.advance(99ms);
    reply(std::string(1, "VALU"[i]));
  }
  loop.advance(4ms);
  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});

  reply("E a 0 1\r\n1\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
  EXPECT_EQ(server->metrics().late_replies_dropped.value(), 1U);
  EXPECT_EQ(server->metrics().incidents.value(), 0U);
}

TEST_F(ServerDeadlineTest, CountsFromWhenTheClientAsked) {
  ExchangePtr waited = exchange("get a\r\n", owner);
  waited->started = loop.now() - 300ms;
  server->submit(std::move(waited), 0);

  loop.advance(100ms);

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
}

TEST_F(ServerDeadlineTest, LeavesTheNeighboursAlone) {
  RecordingOwner second;
  RecordingOwner third;
  ask("get a\r\n", owner);
  loop.advance(200ms);
  ask("get b\r\n", second);
  connect();
  loop.advance(150ms);
  ask("get c\r\n", third);
  reply("V");  // the wait goes on
  loop.advance(50ms);
  ASSERT_EQ(owner.heard, Heard{"!request_deadline"});

  reply("ALUE a 0 1\r\n1\r\nEND\r\nEND\r\nVALUE c 0 1\r\n3\r\nEND\r\n");

  EXPECT_EQ(second.heard, Heard{"END\r\n"});
  EXPECT_EQ(third.heard, (Heard{"VALUE c 0 1\r\n3\r\n", "END\r\n"}));
}

TEST_F(ServerDeadlineTest, TakesOutOfTheMiddleWhatWasNotSent) {
  RecordingOwner first;
  RecordingOwner third;
  ask("get a\r\n", first);
  loop.advance(10ms);
  ExchangePtr waited = exchange("get b\r\n", owner);
  waited->started = loop.now() - 350ms;
  server->submit(std::move(waited), 0);
  ask("get c\r\n", third);

  loop.advance(50ms);
  connect();
  reply("END\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
  EXPECT_EQ(loop.dialed(0).memory.sent(), "get a\r\nget c\r\n");
  EXPECT_EQ(first.heard, Heard{"END\r\n"});
  EXPECT_EQ(third.heard, Heard{"END\r\n"});
}

TEST_F(ServerDeadlineTest, LooksAtTheSocketBeforeItConcludesAnything) {
  ask("get a\r\n", owner);
  loop.advance(200ms);
  connect();
  loop.advance(199ms);
  loop.dialed(0).memory.arrives("END\r\n");

  loop.advance(1ms);

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(expired(), 0U);
}

TEST_F(ServerDeadlineTest, IsMovedOnceWhereWeStalled) {
  ask("get a\r\n", owner);
  connect();
  loop.advance(100ms);
  reply("V");
  loop.stall(340ms);
  EXPECT_TRUE(owner.heard.empty());
  loop.advance(100ms);

  reply("ALUE a 0 1\r\n1\r\nEND\r\n");

  EXPECT_EQ(owner.heard, (Heard{"VALUE a 0 1\r\n1\r\n", "END\r\n"}));
}

TEST_F(ServerDeadlineTest, IsMovedOnlyOnce) {
  ask("get a\r\n", owner);
  loop.stall(440ms);
  EXPECT_TRUE(owner.heard.empty());

  loop.stall(300ms);

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
}

TEST_F(ServerDeadlineTest, IsNotMovedWithoutRecovery) {
  options.timeout_recovery = false;
  server.emplace(options, context, *shared);
  ask("get a\r\n", owner);

  loop.stall(440ms);

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
}

TEST_F(ServerDeadlineTest, DoesNotHearOfARequestThatWasGivenUp) {
  ExchangePtr given_up = exchange("get a\r\n", owner);
  Exchange& handle = *given_up;
  server->submit(std::move(given_up), 0);
  handle.give_up();

  loop.advance(400ms);

  EXPECT_TRUE(owner.heard.empty());
  EXPECT_EQ(expired(), 0U);
  EXPECT_EQ(exchanges.in_use(), 0U);
}

TEST_F(ServerDeadlineTest, HoldsForARequestThatIsSentAgain) {
  ask("get first\r\n", owner);
  connect();
  reply("END\r\n");
  owner.heard.clear();
  ask("get a\r\n", owner);
  loop.advance(240ms);
  loop.dialed(0).memory.push_end_of_file();
  loop.end_turn();
  ASSERT_EQ(loop.dials(), 2U);

  loop.advance(160ms);

  EXPECT_EQ(owner.heard, Heard{"!request_deadline"});
}

TEST_F(ServerDeadlineTest, CostsNoTimerOnceEverythingIsAnswered) {
  for (int i = 0; i < 100; ++i) {
    ask("get a\r\n", owner);
    if (i == 0) connect();
    loop.advance(1ms);
    reply("END\r\n");
  }

  loop.advance(1s);

  EXPECT_EQ(owner.heard.size(), 100U);
  EXPECT_EQ(loop.timers_set(), 0U);
}

}  // namespace
}  // namespace mcsteady::upstream
