#include "support/sim_loop.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/sim_peer.h"

namespace mcsteady::test {
namespace {

using namespace std::chrono_literals;

struct Recorder final : net::Task {
  Recorder(std::vector<std::string>& into, std::string what)
      : into_(into), what_(std::move(what)) {}
  void run() override { into_.push_back(what_); }
  std::vector<std::string>& into_;
  std::string what_;
};

net::Endpoint endpoint(std::uint16_t port) {
  return {.host = "127.0.0.1", .port = port, .unix_path = {}};
}
net::Address address(std::uint16_t port) {
  return numeric_address(endpoint(port)).value();
}

TEST(SimLoop, RunsTimersInTheOrderOfTheirDueTimesAndAtThem) {
  SimNetwork network(1);
  SimLoop loop(network);
  std::vector<Duration> fired;
  const TimePoint start = loop.now();
  const auto record = [&](TimePoint due) {
    EXPECT_EQ(due, loop.now());
    fired.push_back(due - start);
  };
  const auto late = loop.make_timer(record);
  const auto early = loop.make_timer(record);
  late->set(start + 20ms);
  early->set(start + 10ms);
  loop.run_for(1s);

  EXPECT_EQ(fired, (std::vector<Duration>{10ms, 20ms}));
  EXPECT_EQ(loop.now(), start + 1s);
  EXPECT_FALSE(late->is_set());
}

TEST(SimLoop, ATimerMaySetOrDestroyItselfInItsCallback) {
  SimNetwork network(1);
  SimLoop loop(network);
  int fired = 0;
  std::unique_ptr<net::Timer> timer;
  timer = loop.make_timer([&](TimePoint due) {
    if (++fired < 3) timer->set(due + 1ms);
    if (fired == 3) timer.reset();
  });
  timer->set(loop.now());
  loop.run_for(1s);

  EXPECT_EQ(fired, 3);
}

TEST(SimLoop, RunsPostedWorkThenNextTurnTasksThenTurnEndTasks) {
  SimNetwork network(1);
  SimLoop loop(network);
  std::vector<std::string> order;
  Recorder end(order, "end");
  Recorder next(order, "next");
  loop.at_turn_end(end);
  loop.in_next_turn(next);
  loop.post([&] { order.emplace_back("posted"); });
  loop.run_until_idle();

  EXPECT_EQ(order, (std::vector<std::string>{"posted", "next", "end"}));
  EXPECT_EQ(loop.turns(), 1U);
}

TEST(SimLoop, RunEndsOnceStoppedAndRunsWhatWasPostedBefore) {
  SimNetwork network(1);
  SimLoop loop(network);
  bool ran = false;
  const auto timer = loop.make_timer([&](TimePoint) {
    loop.post([&] { ran = true; });
    loop.stop();
  });
  timer->set(loop.now() + 5ms);
  loop.run();

  EXPECT_TRUE(ran);
}

TEST(SimLoop, AStallMakesTimersOverdueWhileOtherLoopsGoOn) {
  SimNetwork network(1);
  SimLoop stalled(network);
  SimLoop other(network);
  Duration stalled_late{};
  Duration other_late{-1};
  const auto mine = stalled.make_timer([&](TimePoint due) { stalled_late = stalled.now() - due; });
  const auto theirs = other.make_timer([&](TimePoint due) { other_late = other.now() - due; });
  mine->set(stalled.now() + 10ms);
  theirs->set(stalled.now() + 10ms);
  stalled.stall(300ms);
  stalled.run_until_idle();

  EXPECT_EQ(other_late, Duration{0});
  EXPECT_EQ(stalled_late, 290ms);
}

/// A timeout on an answer that came while the thread was held: what a loop shows first.
std::string first_seen_after_a_stall(double timers_first) {
  SimNetwork network(1);
  SimLoop server_side(network);
  SimLoop client_side(network, {.timers_first = timers_first});
  SimPeerListener server(server_side, endpoint(11211));
  SimPeer client(client_side, address(11211));
  client_side.run_until_idle();
  std::string seen;
  const auto timeout = client_side.make_timer(
      [&](TimePoint) { seen = client.received().empty() ? "the timeout" : "the reply"; });
  timeout->set(client_side.now() + 100ms);
  server[0].send("END\r\n");
  client_side.stall(300ms);
  client_side.run_until_idle();
  EXPECT_EQ(client.received(), "END\r\n");
  return seen;
}

TEST(SimLoop, AfterAStallItsTimersMayRunBeforeTheReplyThatCameMeanwhileIsRead) {
  EXPECT_EQ(first_seen_after_a_stall(1.0), "the timeout");
  EXPECT_EQ(first_seen_after_a_stall(0.0), "the reply");
}

TEST(SimLoop, ABusyNeighbourInTheSamePassLetsTheTimerComeFirstInEitherOrder) {
  SimNetwork network(1);
  SimLoop server_side(network);
  SimLoop client_side(network, {.timers_first = 0.0});
  SimPeerListener server(server_side, endpoint(11211));
  SimPeer client(client_side, address(11211));
  client_side.run_until_idle();
  std::string seen;
  const auto timeout = client_side.make_timer(
      [&](TimePoint) { seen = client.received().empty() ? "the timeout" : "the reply"; });
  timeout->set(client_side.now() + 100ms);
  client_side.post([&] { client_side.stall(300ms); });
  server[0].send("END\r\n");
  client_side.run_until_idle();

  EXPECT_EQ(seen, "the timeout");
  EXPECT_EQ(client.received(), "END\r\n");
}

TEST(SimLoop, SeveralThingsCanBeReadyInOneTurn) {
  SimNetwork network(1);
  SimLoop server_side(network);
  SimLoop client_side(network);
  SimPeerListener server(server_side, endpoint(11211));
  SimPeer first(client_side, address(11211));
  SimPeer second(client_side, address(11211));
  client_side.run_until_idle();
  server[0].send("a");
  server[1].send("b");
  const std::uint64_t turns = client_side.turns();
  client_side.run_until_idle();

  EXPECT_EQ(first.received() + second.received(), "ab");
  EXPECT_EQ(client_side.turns(), turns + 1);
}

}  // namespace
}  // namespace mcsteady::test
