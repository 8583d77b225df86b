#include "mcsteady/upstream/server.h"

#include <gtest/gtest.h>

#include "mcsteady/net/address.h"
#include "support/capture_log.h"
#include "upstream/upstream_fixture.h"

namespace mcsteady::upstream {
namespace {

using Heard = std::vector<std::string>;

class ServerTest : public UpstreamTest {
 protected:
  void start() {
    options.health = {
        .max_failures = 2, .down_retry_delay = 30s, .down_retry_delay_max = 5min, .jitter = 0.0};
    shared = fleet.server(options.name, options.endpoint, options.health);
    if (address) shared->set_address(*address);
    server.emplace(options, context, *shared);
  }
  /// With a connection that is there.
  void start_connected() {
    start();
    ask("get first\r\n");
    connect(0);
    reply(0, "END\r\n");
    owner.heard.clear();
  }
  void connect(std::size_t i) {
    loop.dialed(i).connects();
    loop.end_turn();
  }
  void ask(std::string_view command, Exchange::Owner& who, std::size_t lane = 0) {
    server->submit(exchange(command, who), lane);
    loop.end_turn();
  }
  void ask(std::string_view command) { ask(command, owner); }
  test::MemoryStream& peer(std::size_t i) { return loop.dialed(i).memory; }
  void reply(std::size_t i, std::string_view bytes) {
    peer(i).push(bytes);
    loop.end_turn();
  }
  void refuse(std::size_t i) {
    loop.dialed(i).refuses();
    loop.end_turn();
  }
  void take_down() {
    for (int i = 0; i < options.health.max_failures; ++i) {
      ask("get a\r\n");
      refuse(loop.dials() - 1);
    }
    owner.heard.clear();
  }
  std::uint64_t failed(Failure cause) const {
    return server->metrics().failures[static_cast<std::size_t>(cause)].value();
  }

  test::CaptureLog log;
  Fleet fleet{log, 1};
  Fleet::ServerPtr shared;
  std::optional<net::Address> address =
      net::numeric_address({.host = "127.0.0.1", .port = 11211, .unix_path = {}});
  std::optional<Server> server;
};

TEST_F(ServerTest, ConnectsWithTheFirstRequest) {
  start();
  EXPECT_EQ(loop.dials(), 0U);

  ask("get a\r\n");
  connect(0);
  reply(0, "END\r\n");

  EXPECT_EQ(loop.dialed(0).to.text(), "127.0.0.1:11211");
  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
}

TEST_F(ServerTest, SendsAllLanesOverOneConnectionByDefault) {
  start();
  for (std::size_t lane = 0; lane < 5; ++lane) ask("get a\r\n", owner, lane);

  EXPECT_EQ(loop.dials(), 1U);
}

TEST_F(ServerTest, SpreadsLanesOverItsConnections) {
  options.connections = 3;
  start();
  for (const char* command : {"get a\r\n", "get b\r\n"}) {
    for (std::size_t lane = 0; lane < 6; ++lane) ask(command, owner, lane);
  }
  ASSERT_EQ(loop.dials(), 3U);
  for (std::size_t i = 0; i < 3; ++i) connect(i);

  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(peer(i).sent(), "get a\r\nget a\r\nget b\r\nget b\r\n");
  }
}

TEST_F(ServerTest, OpensAFreshConnectionAfterATimeout) {
  start_connected();
  ask("get a\r\n");
  loop.advance(250ms);
  EXPECT_EQ(owner.heard, Heard{"!server_late"});

  ask("get b\r\n");
  ASSERT_EQ(loop.dials(), 2U);
  connect(1);
  reply(1, "END\r\n");

  EXPECT_EQ(owner.heard, (Heard{"!server_late", "END\r\n"}));
  EXPECT_EQ(server->metrics().incidents.value(), 1U);
}

TEST_F(ServerTest, SendsOnAFreshConnectionWhatTheRetiredOneHadNotSent) {
  start_connected();
  ask("get a\r\n");
  loop.advance(249ms);
  loop.dialed(0).takes_max = 0;
  ask("get b\r\n");

  loop.advance(1ms);
  connect(1);
  reply(1, "END\r\n");

  EXPECT_EQ(peer(1).sent(), "get b\r\n");
  EXPECT_EQ(owner.heard, (Heard{"!server_late", "END\r\n"}));
}

TEST_F(ServerTest, NeverGivesALateReplyToAnother) {
  start_connected();
  RecordingOwner second;
  ask("get a\r\n");
  loop.advance(250ms);
  ask("get b\r\n", second);
  connect(1);

  reply(0, "VALUE a 0 1\r\na\r\nEND\r\n");
  reply(1, "VALUE b 0 1\r\nb\r\nEND\r\n");

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(second.heard, (Heard{"VALUE b 0 1\r\nb\r\n", "END\r\n"}));
  EXPECT_EQ(server->metrics().late_replies_dropped.value(), 1U);
  EXPECT_EQ(server->metrics().connections.value(), 1);
}

TEST_F(ServerTest, ReconnectsAfterAnIdleCloseWithoutAnyonesNotice) {
  start_connected();
  peer(0).push_end_of_file();
  loop.end_turn();

  ask("get b\r\n");
  connect(1);
  reply(1, "END\r\n");

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(server->metrics().incidents.value(), 0U);
  EXPECT_EQ(server->metrics().connections_closed_idle.value(), 1U);
}

TEST_F(ServerTest, RepeatsWhatCrossedAnIdleClose) {
  start_connected();
  ask("get b\r\n");
  peer(0).push_end_of_file();
  loop.end_turn();
  connect(1);

  reply(1, "END\r\n");

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(server->metrics().resends.value(), 1U);
  EXPECT_EQ(server->metrics().incidents.value(), 0U);
}

TEST_F(ServerTest, CountsTheLossOfAllItsConnectionsAsOneIncident) {
  options.connections = 3;
  start();
  for (std::size_t lane = 0; lane < 3; ++lane) ask("get a\r\n", owner, lane);
  for (std::size_t i = 0; i < 3; ++i) connect(i);
  loop.advance(1ms);

  for (std::size_t i = 0; i < 3; ++i) peer(i).push_breakage({net::StreamError::Reset, 104});
  loop.end_turn();

  EXPECT_EQ(owner.heard, Heard(3, "!connection_lost"));
  EXPECT_EQ(server->metrics().incidents.value(), 1U);
  EXPECT_FALSE(server->is_down());
}

TEST_F(ServerTest, CountsTheSilenceOnAllItsConnectionsAsOneIncident) {
  options.connections = 3;
  start();
  for (std::size_t lane = 0; lane < 3; ++lane) ask("get a\r\n", owner, lane);
  for (std::size_t i = 0; i < 3; ++i) connect(i);

  loop.advance(260ms);

  EXPECT_EQ(owner.heard, Heard(3, "!server_late"));
  EXPECT_EQ(server->metrics().incidents.value(), 1U);
}

// ---- no address, refused

TEST_F(ServerTest, FailsInALaterTurnWhereItsNameDoesNotResolve) {
  address.reset();
  start();
  ask("get a\r\n");
  EXPECT_TRUE(owner.heard.empty());

  loop.advance(0ms);

  EXPECT_EQ(owner.heard, Heard{"!connect_failed"});
  EXPECT_EQ(loop.dials(), 0U);
}

TEST_F(ServerTest, UsesAnAddressAsSoonAsItIsKnown) {
  address.reset();
  start();
  ask("get a\r\n");
  loop.advance(0ms);
  shared->set_address(*net::numeric_address({.host = "127.0.0.1", .port = 22, .unix_path = {}}));

  ask("get b\r\n");

  EXPECT_EQ(loop.dialed(0).to.text(), "127.0.0.1:22");
}

TEST_F(ServerTest, GoesDownWhenItIsRefusedTwice) {
  start();
  ask("get a\r\n");
  refuse(0);
  EXPECT_FALSE(server->is_down());
  ask("get a\r\n");

  refuse(1);

  EXPECT_TRUE(server->is_down());
  EXPECT_EQ(owner.heard, Heard(2, "!connect_refused"));
  EXPECT_EQ(server->metrics().down_marks.value(), 1U);
  EXPECT_EQ(log.count("server is down"), 1U);
}

TEST_F(ServerTest, GoesDownWhenItAcceptsAndHangs) {
  start();
  for (std::size_t i = 0; i < 2; ++i) {
    ask("get a\r\n");
    connect(i);
    loop.advance(250ms);
  }

  EXPECT_TRUE(server->is_down());
}

TEST_F(ServerTest, AnswersAtOnceWhileDown) {
  start();
  take_down();
  const std::size_t dials = loop.dials();

  server->submit(exchange("get a\r\n", owner), 0);

  EXPECT_EQ(owner.heard, Heard{"!server_down"});
  EXPECT_EQ(failed(Failure::ServerDown), 1U);
  EXPECT_EQ(loop.dials(), dials);
  EXPECT_EQ(exchanges.in_use(), 0U);
}

// ---- the probe

TEST_F(ServerTest, ProbesOnAConnectionOfItsOwnWhenTheDelayIsOver) {
  start();
  take_down();
  const std::size_t dials = loop.dials();
  loop.advance(29'999ms);
  EXPECT_EQ(loop.dials(), dials);

  loop.advance(1ms);

  ASSERT_EQ(loop.dials(), dials + 1);
  connect(dials);
  EXPECT_EQ(peer(dials).sent(), "version\r\n");
  EXPECT_TRUE(server->is_down());
}

TEST_F(ServerTest, IsTakenBackWhenTheProbeIsAnswered) {
  start();
  take_down();
  const std::size_t probe = loop.dials();
  loop.advance(30s);
  connect(probe);

  reply(probe, "VERSION 1.6.18\r\n");

  EXPECT_FALSE(server->is_down());
  EXPECT_EQ(shared->state(), Health::State::Trial);
  EXPECT_TRUE(peer(probe).closed());
  EXPECT_EQ(server->metrics().connections.value(), 0);
  EXPECT_EQ(server->metrics().probes.value(), 1U);
  EXPECT_EQ(server->metrics().probes_failed.value(), 0U);
  ask("get a\r\n");
  connect(probe + 1);
  reply(probe + 1, "END\r\n");
  EXPECT_EQ(shared->state(), Health::State::Up);
}

TEST_F(ServerTest, StaysDownWhenTheProbeIsRefused) {
  start();
  take_down();
  const std::size_t probe = loop.dials();
  loop.advance(30s);

  refuse(probe);

  EXPECT_TRUE(server->is_down());
  EXPECT_EQ(log.last("server stays down")->field("probe"), "connect_refused");
  loop.advance(59'999ms);
  EXPECT_EQ(loop.dials(), probe + 1);
  loop.advance(1ms);
  EXPECT_EQ(loop.dials(), probe + 2);
}

TEST_F(ServerTest, CountsProbesApartFromRequests) {
  start();
  take_down();
  const std::uint64_t requests = server->metrics().requests.value();
  const std::uint64_t refused = failed(Failure::ConnectRefused);

  loop.advance(30s);
  refuse(loop.dials() - 1);
  loop.advance(60s);
  connect(loop.dials() - 1);
  reply(loop.dials() - 1, "VERSION 1.6.18\r\n");

  EXPECT_EQ(server->metrics().probes.value(), 2U);
  EXPECT_EQ(server->metrics().probes_failed.value(), 1U);
  EXPECT_EQ(server->metrics().requests.value(), requests);
  EXPECT_EQ(server->metrics().answered.value(), 0U);
  EXPECT_EQ(failed(Failure::ConnectRefused), refused);
}

TEST_F(ServerTest, CountsIncidentsApartThatAreNotHeldAgainstIt) {
  const Fleet::ServerPtr other = fleet.server("b", {.host = "::1", .port = 1, .unix_path = {}}, {});
  start_connected();
  ask("get a\r\n");
  loop.advance(250ms);
  Incident silence;
  silence.began = loop.now();

  ask("get a\r\n");
  connect(1);
  loop.advance(249ms);
  other->on_incident(silence, loop.now());
  loop.advance(1ms);

  EXPECT_FALSE(server->is_down());
  EXPECT_EQ(server->metrics().incidents.value(), 1U);  // the first: it took nothing down
  EXPECT_EQ(server->metrics().incidents_excused.value(), 1U);
}

TEST_F(ServerTest, StaysDownWhenTheProbeIsNotAnswered) {
  start();
  take_down();
  const std::size_t probe = loop.dials();
  loop.advance(30s);
  connect(probe);

  loop.advance(250ms);

  EXPECT_TRUE(server->is_down());
  EXPECT_EQ(log.last("server stays down")->field("probe"), "server_late");
  EXPECT_TRUE(peer(probe).closed());
  EXPECT_EQ(exchanges.in_use(), 0U);
}

TEST_F(ServerTest, StaysDownWhenTheProbeIsToldThatThereAreTooManyConnections) {
  start();
  take_down();
  const std::size_t probe = loop.dials();
  loop.advance(30s);
  connect(probe);

  reply(probe, "ERROR Too many open connections\r\n");

  EXPECT_TRUE(server->is_down());
  EXPECT_EQ(log.last("server stays down")->field("probe"), "server_full");
}

TEST_F(ServerTest, StaysDownWhenTheProbesConnectionIsClosed) {
  start();
  take_down();
  for (int i = 0; i < 2; ++i) {
    const std::size_t probe = loop.dials();
    loop.advance(i == 0 ? 30s : 60s);
    connect(probe);
    peer(probe).push_end_of_file();
    loop.end_turn();
  }

  EXPECT_TRUE(server->is_down());
  EXPECT_EQ(log.count("server stays down"), 2U);
  EXPECT_EQ(log.last("server stays down")->field("probe"), "connection_lost");
}

TEST_F(ServerTest, StaysDownWhenTheProbesConnectionBringsStrayBytes) {
  start();
  take_down();
  const std::size_t probe = loop.dials();
  loop.advance(30s);
  loop.dialed(probe).takes_max = 0;
  connect(probe);

  reply(probe, "STORED\r\n");

  EXPECT_TRUE(server->is_down());
  EXPECT_EQ(log.count("server stays down"), 1U);
  EXPECT_EQ(exchanges.in_use(), 0U);
}

TEST_F(ServerTest, StaysDownWhileItsNameDoesNotResolve) {
  address.reset();
  start();
  for (int i = 0; i < 2; ++i) {
    ask("get a\r\n");
    loop.advance(0ms);
  }
  ASSERT_TRUE(server->is_down());

  loop.advance(30s);

  EXPECT_EQ(log.last("server stays down")->field("probe"), "connect_failed");
}

TEST_F(ServerTest, CountsAFailedProbeAsNoIncident) {
  start();
  take_down();
  const std::uint64_t incidents = server->metrics().incidents.value();
  loop.advance(30s);

  refuse(loop.dials() - 1);

  EXPECT_EQ(server->metrics().incidents.value(), incidents);
}

}  // namespace
}  // namespace mcsteady::upstream
