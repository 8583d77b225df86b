// Servers that move to another address, leave their pool, and come back.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "mcsteady/upstream/server.h"
#include "support/capture_log.h"
#include "upstream/upstream_fixture.h"

namespace mcsteady::upstream {
namespace {

using Heard = std::vector<std::string>;

net::Address at(const std::string& host) {
  return *net::numeric_address({.host = host, .port = 11211, .unix_path = {}});
}

class ServerChangeTest : public UpstreamTest {
 protected:
  ServerChangeTest() {
    options.health = {
        .max_failures = 2, .down_retry_delay = 30s, .down_retry_delay_max = 30s, .jitter = 0.0};
    shared = fleet.server(options.name, options.endpoint, options.health);
    shared->set_addresses({at("10.0.0.1")});
    server.emplace(options, context, *shared);
  }
  void ask(std::string_view command) {
    server->submit(exchange(command, owner), 0);
    loop.end_turn();
  }
  void connect(std::size_t i) {
    loop.dialed(i).connects();
    loop.end_turn();
  }
  void reply(std::size_t i, std::string_view bytes) {
    loop.dialed(i).memory.push(bytes);
    loop.end_turn();
  }
  void move_to(const std::vector<net::Address>& addresses) {
    if (shared->set_addresses(addresses)) server->on_addresses_changed();
    loop.end_turn();
  }
  std::int64_t connections() const { return server->metrics().connections.value(); }

  test::CaptureLog log;
  Fleet fleet{log, 1};
  Fleet::ServerPtr shared;
  std::optional<Server> server;
};

TEST_F(ServerChangeTest, SendsNewRequestsToTheNewAddressWhileTheOldOneDrains) {
  ask("get a\r\n");
  connect(0);
  move_to({at("10.0.0.2")});

  ask("get b\r\n");
  ASSERT_EQ(loop.dials(), 2U);
  connect(1);
  reply(1, "VALUE b 0 1\r\nB\r\nEND\r\n");
  reply(0, "VALUE a 0 1\r\nA\r\nEND\r\n");

  EXPECT_EQ(loop.dialed(1).to, at("10.0.0.2"));
  EXPECT_EQ(owner.heard,
            (Heard{"VALUE b 0 1\r\nB\r\n", "END\r\n", "VALUE a 0 1\r\nA\r\n", "END\r\n"}));
  EXPECT_EQ(connections(), 1);
}

TEST_F(ServerChangeTest, ClosesAnIdleConnectionToAnAddressThatIsGone) {
  ask("get a\r\n");
  connect(0);
  reply(0, "END\r\n");

  move_to({at("10.0.0.2")});

  EXPECT_EQ(connections(), 0);
}

TEST_F(ServerChangeTest, TakesWhatWaitsForAConnectionToTheNewAddress) {
  ask("get a\r\n");

  move_to({at("10.0.0.2")});
  ASSERT_EQ(loop.dials(), 2U);
  connect(1);
  reply(1, "END\r\n");

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(connections(), 1);
  EXPECT_EQ(server->metrics().incidents.value(), 0U);
}

TEST_F(ServerChangeTest, KeepsAConnectionWhoseAddressIsStillThere) {
  ask("get a\r\n");
  connect(0);
  reply(0, "END\r\n");

  move_to({at("10.0.0.2"), at("10.0.0.1")});
  ask("get b\r\n");

  EXPECT_EQ(loop.dials(), 1U);
}

TEST_F(ServerChangeTest, DoesNotBlameTheNewAddressForTheOldOnesEnd) {
  ask("get a\r\n");
  connect(0);
  move_to({at("10.0.0.2")});

  loop.dialed(0).memory.push_end_of_file();
  loop.end_turn();

  EXPECT_EQ(server->metrics().incidents.value(), 0U);
  EXPECT_EQ(owner.heard.size(), 1U);
}

TEST_F(ServerChangeTest, IsProbedAtOnceAtItsNewAddressWhereItIsDown) {
  for (int i = 0; i < 2; ++i) {
    ask("get a\r\n");
    loop.dialed(loop.dials() - 1).refuses();
    loop.end_turn();
  }
  ASSERT_TRUE(shared->is_down());

  move_to({at("10.0.0.2")});
  loop.advance(1ms);
  ASSERT_EQ(loop.dials(), 3U);
  connect(2);
  reply(2, "VERSION 1\r\n");

  EXPECT_EQ(loop.dialed(2).to, at("10.0.0.2"));
  EXPECT_FALSE(shared->is_down());
}

TEST_F(ServerChangeTest, FinishesWhatItHasWhenItLeaves) {
  ask("get a\r\n");
  connect(0);
  ask("get b\r\n");
  server->leave();
  loop.end_turn();
  EXPECT_FALSE(server->is_gone());

  reply(0, "END\r\n");
  EXPECT_FALSE(server->is_gone());
  reply(0, "END\r\n");

  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "END\r\n"}));
  EXPECT_EQ(loop.dials(), 1U);
  EXPECT_TRUE(server->is_gone());
}

TEST_F(ServerChangeTest, StillConnectsForWhatWasSubmittedBeforeItLeft) {
  ask("get a\r\n");
  server->leave();
  loop.end_turn();

  connect(0);
  reply(0, "END\r\n");

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_TRUE(server->is_gone());
}

TEST_F(ServerChangeTest, TimesOutWhatALeavingServerNeverAnswersWithoutBlame) {
  ask("get a\r\n");
  connect(0);
  server->leave();

  loop.advance(300ms);
  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  loop.advance(10s);

  EXPECT_EQ(server->metrics().incidents.value(), 0U);
  EXPECT_TRUE(server->is_gone());
}

TEST_F(ServerChangeTest, ServesAgainWhenItComesBack) {
  ask("get a\r\n");
  connect(0);
  server->leave();
  server->join();

  ask("get b\r\n");
  ASSERT_EQ(loop.dials(), 2U);
  connect(1);
  reply(0, "END\r\n");
  reply(1, "END\r\n");

  EXPECT_EQ(owner.heard, (Heard{"END\r\n", "END\r\n"}));
  EXPECT_FALSE(server->is_gone());
  EXPECT_EQ(connections(), 1);
}

TEST_F(ServerChangeTest, FailsEverythingAtOnceWhereThereIsNobody) {
  const Fleet::ServerPtr nobody = fleet.nobody("dns:cache:11211");
  server.emplace(options, context, *nobody);

  ask("get a\r\n");

  EXPECT_EQ(owner.heard, Heard{"!no_servers"});
  EXPECT_EQ(loop.dials(), 0U);
  EXPECT_EQ(fleet.servers().size(), 1U);
}

TEST_F(ServerChangeTest, TakesOverAProbeThatWentWithAnotherPool) {
  {
    Server other(options, context, *shared);
    for (int i = 0; i < 2; ++i) {
      other.submit(exchange("get a\r\n", owner), 0);
      loop.dialed(loop.dials() - 1).refuses();
      loop.end_turn();
    }
  }
  const std::size_t dials = loop.dials();
  loop.advance(34s);
  ask("get b\r\n");
  EXPECT_EQ(loop.dials(), dials);

  loop.advance(2s);
  ask("get c\r\n");
  ask("get d\r\n");
  loop.advance(1ms);

  EXPECT_EQ(loop.dials(), dials + 1);
}

}  // namespace
}  // namespace mcsteady::upstream
