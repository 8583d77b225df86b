#include "support/sim_network.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "support/sim_loop.h"
#include "support/sim_peer.h"

namespace mcsteady::test {
namespace {

using namespace std::chrono_literals;

const net::Endpoint kPlace{.host = "127.0.0.1", .port = 11211, .unix_path = {}};

/// A client and a server on loops of their own, with the connection under test between them.
struct Pair {
  explicit Pair(const PathConditions& path = {}, std::uint64_t seed = 7) : network(seed) {
    network.set_conditions(path);
    listener.emplace(server_side, kPlace);
    client.emplace(client_side, numeric_address(kPlace).value());
    client_side.run_until([this] { return client->connected() && listener->size() == 1; }, 10s);
  }
  SimPeer& server() { return (*listener)[0]; }

  SimNetwork network;
  SimLoop server_side{network};
  SimLoop client_side{network};
  std::optional<SimPeerListener> listener;
  std::optional<SimPeer> client;
};

TEST(SimNetwork, CarriesBytesBothWaysWithTheLatencyOfEachDirection) {
  Pair pair({.to_server = {.delay_min = 3ms, .delay_max = 3ms},
             .to_client = {.delay_min = 5ms, .delay_max = 5ms}});
  const TimePoint start = pair.network.now();
  pair.client->send("ping");
  ASSERT_TRUE(pair.client_side.run_until([&] { return pair.server().received() == "ping"; }, 1s));
  EXPECT_EQ(pair.network.now() - start, 3ms);
  pair.server().send("pong");
  ASSERT_TRUE(pair.client_side.run_until([&] { return pair.client->received() == "pong"; }, 1s));

  EXPECT_EQ(pair.network.now() - start, 8ms);
}

TEST(SimNetwork, SplitsAndDelaysBytesButKeepsTheirOrder) {
  Pair pair({.to_server = {.delay_min = 1us, .delay_max = 90us, .chunk_max = 7}});
  const std::string sent = Rng(3).bytes(20'000);
  pair.client->send(sent);
  pair.client_side.run_until_idle();

  EXPECT_EQ(pair.server().received(), sent);
  EXPECT_GT(pair.server().stream().calls().receives, 500U);
}

TEST(SimNetwork, MakesTheSendShortWhenThePeerDoesNotReadAndGoesOnWhenItDoes) {
  Pair pair({.to_server = {.buffer_max = 1000}});
  pair.server().set_receiving(false);
  pair.client->send(std::string(5000, 'x'));
  pair.client_side.run_for(1s);
  EXPECT_EQ(pair.client->unsent(), 4000U);
  EXPECT_EQ(pair.server().received(), "");
  pair.server().set_receiving(true);
  pair.client_side.run_until_idle();

  EXPECT_EQ(pair.client->unsent(), 0U);
  EXPECT_EQ(pair.server().received().size(), 5000U);
}

TEST(SimNetwork, BreaksAConnectionAtTheVeryByteAskedFor) {
  for (const LinkEnd end : {LinkEnd::Fin, LinkEnd::Reset}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
      Pair pair({.to_client = {.break_at = LinkBreak{.at = at, .end = end}}});
      pair.server().send("HD\r\n");
      pair.server().send("HD\r\n");
      pair.client_side.run_until_idle();

      EXPECT_EQ(pair.client->received(), std::string("HD\r\n").substr(0, at));
      EXPECT_EQ(pair.client->ended(), end == LinkEnd::Fin);
      EXPECT_EQ(pair.client->broken().has_value(), end == LinkEnd::Reset);
      EXPECT_EQ(pair.server().broken().has_value(), end == LinkEnd::Reset);
    }
  }
}

TEST(SimNetwork, RefusesWhereNobodyListens) {
  SimNetwork network(1);
  SimLoop loop(network);
  SimPeer tcp(loop, numeric_address(kPlace).value());
  SimPeer unix_socket(
      loop, net::numeric_address({.host = {}, .port = 0, .unix_path = "/run/nobody.sock"}).value());
  loop.run_until_idle();

  ASSERT_TRUE(tcp.broken() && unix_socket.broken());
  EXPECT_EQ(tcp.broken()->kind, net::StreamError::Refused);
  EXPECT_EQ(tcp.broken()->error_number, ECONNREFUSED);
  EXPECT_EQ(unix_socket.broken()->error_number, ENOENT);
}

TEST(SimNetwork, AConnectCanTimeOutOrNeverBeAnswered) {
  SimNetwork network(1);
  SimLoop loop(network);
  network.set_conditions({.fate = ConnectFate::TimeOut, .connect_gives_up = 5s});
  SimPeer timed_out(loop, numeric_address(kPlace).value());
  network.set_conditions({.fate = ConnectFate::Blackhole});
  SimPeer unanswered(loop, numeric_address(kPlace).value());
  loop.run_for(4s);
  EXPECT_FALSE(timed_out.broken());
  loop.run_for(1h);

  ASSERT_TRUE(timed_out.broken());
  EXPECT_EQ(timed_out.broken()->error_number, ETIMEDOUT);
  EXPECT_FALSE(unanswered.is_over() || unanswered.connected());
}

TEST(SimNetwork, ClosingWithUnreadBytesResetsThePeer) {
  Pair pair;
  pair.server().set_receiving(false);
  pair.client->send("unread");
  pair.client_side.run_until_idle();
  pair.server().close();
  pair.client_side.run_until_idle();

  ASSERT_TRUE(pair.client->broken());
  EXPECT_EQ(pair.client->broken()->kind, net::StreamError::Reset);
}

TEST(SimNetwork, SendingToAClosedPeerFailsOnceItsResetIsBack) {
  Pair pair;
  pair.server().close();
  pair.client_side.run_until_idle();
  EXPECT_TRUE(pair.client->ended());
  pair.client->send("lost");
  pair.client_side.run_until_idle();
  EXPECT_FALSE(pair.client->broken());
  pair.client->send("refused");
  pair.client_side.run_until_idle();

  ASSERT_TRUE(pair.client->broken());
  EXPECT_EQ(pair.client->broken()->kind, net::StreamError::SendFailed);
}

TEST(SimNetwork, AHeldPathLosesPacketsAndItsEvidenceSaysSo) {
  Pair pair;
  pair.network.hold(kPlace, true);
  pair.client->send("lost");
  pair.client_side.run_for(1s);
  const net::TransportEvidence lost = pair.client->stream().evidence();
  pair.network.hold(kPlace, false);
  pair.client_side.run_until_idle();
  const net::TransportEvidence healed = pair.client->stream().evidence();

  EXPECT_EQ(lost.bytes_unsent, 4U);
  EXPECT_EQ(lost.tcp.value().segments_unacked, 1U);
  EXPECT_GE(lost.tcp.value().retransmits, 2U);
  EXPECT_EQ(healed.tcp.value().retransmits, 0U);
  EXPECT_EQ(pair.server().received(), "lost");
}

TEST(SimNetwork, AFullBacklogMakesAConnectWait) {
  SimNetwork network(1);
  SimLoop server_side(network);
  SimLoop client_side(network);
  SimPeerListener listener(server_side, kPlace);
  listener.listener().set_accepting(false);
  SimPeer client(client_side, numeric_address(kPlace).value());
  client_side.run_for(100ms);
  EXPECT_TRUE(client.connected());
  EXPECT_EQ(listener.size(), 0U);
  listener.listener().set_accepting(true);
  client_side.run_until([&] { return listener.size() == 1; }, 1s);

  EXPECT_EQ(listener.size(), 1U);
}

TEST(SimNetwork, APlaceIsTakenUnlessBothShareIt) {
  SimNetwork network(1);
  SimLoop loop(network);
  SimPeerListener first(loop, kPlace);
  const auto second = loop.listen({.endpoint = kPlace}, first);
  const auto any_port =
      loop.listen({.endpoint = {.host = "127.0.0.1", .port = 0, .unix_path = {}}}, first);

  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find("address in use"), std::string::npos);
  EXPECT_NE(any_port.value()->endpoint().port, 0);
}

TEST(SimNetwork, LookFindsWhatAMissedPollDoesNotShow) {
  Pair pair;
  pair.server().send("END\r\n");
  pair.client_side.post([&] {
    pair.client_side.stall(1s);
    pair.client->stream().miss_polls(1);
    EXPECT_EQ(pair.client->stream().look(), net::Stream::Found::Bytes);
    EXPECT_EQ(pair.client->stream().look(), net::Stream::Found::Nothing);
  });
  pair.client_side.run_until_idle();

  EXPECT_EQ(pair.client->received(), "END\r\n");
  EXPECT_EQ(pair.client->stream().calls().polls, 2U);
  EXPECT_EQ(pair.client->stream().rooms().size(), pair.client->stream().calls().receives);
}

TEST(SimNetwork, LookSeesAConnectionThatIsThereByNowAndNothingWhileReceivingIsOff) {
  SimNetwork network(1);
  SimLoop server_side(network);
  SimLoop client_side(network);
  SimPeerListener listener(server_side, kPlace);
  SimPeer client(client_side, net::numeric_address(kPlace).value());
  client_side.post([&] {
    client_side.stall(1s);
    EXPECT_FALSE(client.connected());
    EXPECT_EQ(client.stream().look(), net::Stream::Found::Nothing);
    EXPECT_TRUE(client.connected());
    listener[0].send("early");
    client.set_receiving(false);
    client_side.stall(1s);
    EXPECT_EQ(client.stream().look(), net::Stream::Found::Nothing);
  });
  client_side.run_until_idle();

  EXPECT_EQ(client.received(), "");
}

/// A few peers that talk over a bad network with a stalling loop; what all of it folds to.
std::uint64_t transcript_of(std::uint64_t seed) {
  LinkConditions bad{.delay_min = 1us,
                     .delay_max = 3ms,
                     .chunk_max = 50,
                     .buffer_max = 700,
                     .break_chance = 0.3,
                     .break_within = 3000};
  SimNetwork network(seed);
  network.set_conditions({.to_server = bad, .to_client = bad});
  SimLoop server_side(network, {.wake_delay_max = 200us, .short_receives = 0.2});
  SimLoop client_side(network, {.poll_misses = 0.5, .spurious_ready = 0.2});
  SimPeerListener listener(server_side, kPlace);
  std::vector<std::unique_ptr<SimPeer>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<SimPeer>(client_side, numeric_address(kPlace).value()));
    clients.back()->send(std::string(2000, 'x'));
  }
  client_side.run_for(10ms);
  for (std::size_t i = 0; i < listener.size(); ++i) listener[i].send(std::string(1500, 'y'));
  client_side.stall(2ms);
  for (const auto& client : clients) client->stream().look();
  client_side.run_for(1s);
  return network.transcript();
}

TEST(SimNetwork, TheSameSeedGivesTheSameRunByteForByte) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(replay_hint(seed));
    EXPECT_EQ(transcript_of(seed), transcript_of(seed));
    EXPECT_NE(transcript_of(seed), transcript_of(seed + 1));
  }
}

}  // namespace
}  // namespace mcsteady::test
