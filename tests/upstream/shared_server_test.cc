#include "mcsteady/upstream/shared_server.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/capture_log.h"

namespace mcsteady::upstream {
namespace {

using namespace std::chrono_literals;
using State = Health::State;
using Verdict = SharedServer::Verdict;

constexpr TimePoint kStart{1h};

Incident incident(Failure cause, TimePoint began) {
  return {.cause = cause,
          .began = began,
          .timeout = {},
          .replies_owed = 1,
          .bytes_unread = 0,
          .error_number = 0,
          .loop_lag = {}};
}

class SharedServerTest : public testing::Test {
 protected:
  SharedServer& add(const std::string& name) {
    records.push_back(fleet.server(name, {.host = name, .port = 11211, .unix_path = {}}, health));
    return *records.back();
  }
  /// An incident that began just now.
  static SharedServer::Consequence fail(SharedServer& server, Failure cause, TimePoint now) {
    return server.on_incident(incident(cause, now), now);
  }
  SharedServer& add_down(const std::string& name) {
    SharedServer& server = add(name);
    fail(server, Failure::ConnectRefused, kStart);
    fail(server, Failure::ConnectRefused, kStart);
    return server;
  }

  test::CaptureLog log;
  std::vector<Fleet::ServerPtr> records;
  Fleet fleet{log, 1};
  HealthOptions health{
      .max_failures = 2, .down_retry_delay = 30s, .down_retry_delay_max = 5min, .jitter = 0.0};
};

TEST_F(SharedServerTest, GoesDownWithTheTimeOfItsProbe) {
  SharedServer& server = add("a");
  const auto first = fail(server, Failure::ServerLate, kStart);
  EXPECT_EQ(first.verdict, Verdict::Counted);
  EXPECT_FALSE(first.probe_at);

  const auto second = fail(server, Failure::ServerLate, kStart + 1s);

  EXPECT_TRUE(server.is_down());
  EXPECT_EQ(second.probe_at, kStart + 31s);
}

TEST_F(SharedServerTest, ToldOfMoreWhileDownAsksForNoOtherProbe) {
  SharedServer& server = add_down("a");

  EXPECT_FALSE(fail(server, Failure::ConnectRefused, kStart + 1s).probe_at);
}

TEST_F(SharedServerTest, TakesWhatHadBegunBeforeAnIncidentForAPartOfIt) {
  SharedServer& server = add("a");
  server.on_incident(incident(Failure::ServerLate, kStart), kStart + 250ms);

  const auto other_socket =
      server.on_incident(incident(Failure::ServerLate, kStart + 10ms), kStart + 260ms);

  EXPECT_EQ(other_socket.verdict, Verdict::PartOfTheLast);
  EXPECT_EQ(server.state(), State::Up);
}

TEST_F(SharedServerTest, CountsWhatBeganAfterAnIncidentOnItsOwn) {
  SharedServer& server = add("a");
  server.on_incident(incident(Failure::ConnectionLost, kStart - 1h), kStart);

  const auto reconnect = server.on_incident(incident(Failure::ConnectRefused, kStart), kStart);

  EXPECT_EQ(reconnect.verdict, Verdict::Counted);
  EXPECT_TRUE(server.is_down());
}

TEST_F(SharedServerTest, CountsAnOldConnectionOnItsOwnOnceTheServerHasAnswered) {
  SharedServer& server = add("a");
  server.on_incident(incident(Failure::ConnectionLost, kStart - 1h), kStart);
  server.on_answered();

  const auto again =
      server.on_incident(incident(Failure::ConnectionLost, kStart - 1h), kStart + 1s);
  EXPECT_EQ(again.verdict, Verdict::Counted);
}

TEST_F(SharedServerTest, ForgetsAnIncidentWithAnAnswer) {
  SharedServer& server = add("a");
  for (int i = 0; i < 5; ++i) {
    fail(server, Failure::ServerLate, kStart + i * 1s);
    server.on_answered();
  }

  EXPECT_EQ(server.state(), State::Up);
  EXPECT_TRUE(log.events().empty());
}

TEST_F(SharedServerTest, IsNotLiftedByAnAnswerWhileDown) {
  SharedServer& server = add_down("a");

  server.on_answered();

  EXPECT_TRUE(server.is_down());
}

TEST_F(SharedServerTest, LogsOneLineForEachChange) {
  SharedServer& server = add("a");
  fail(server, Failure::ServerLate, kStart);
  EXPECT_EQ(log.events().size(), 0U);
  fail(server, Failure::ServerLate, kStart + 1s);
  EXPECT_EQ(log.events().size(), 1U);
  fail(server, Failure::ServerLate, kStart + 2s);
  EXPECT_EQ(log.events().size(), 1U);
  server.on_probe_failed(Failure::ConnectTimeout, kStart + 31s);
  EXPECT_EQ(log.events().size(), 2U);
  server.on_probe_answered();
  EXPECT_EQ(log.events().size(), 3U);
  for (int i = 0; i < 10; ++i) server.on_answered();

  std::vector<std::string> names;
  for (const auto& event : log.events()) names.push_back(event.event);
  EXPECT_EQ(names, (std::vector<std::string>{"server is down", "server stays down",
                                             "server is back on trial", "server is up"}));
}

TEST_F(SharedServerTest, LogsTheEvidenceOfGoingDown) {
  SharedServer& server = add("cache-1");
  fail(server, Failure::ServerLate, kStart);
  Incident seen = incident(Failure::NetworkLost, kStart + 1s);
  seen.replies_owed = 7;
  seen.bytes_unread = 10;
  seen.error_number = ECONNRESET;
  seen.loop_lag = 1500us;
  seen.timeout = TimeoutEvidence{.timer_late_by = 250us,
                                 .stalled = 3ms,
                                 .found_unread = {},
                                 .output_unsent = ByteCount{5},
                                 .transport = {}};
  seen.timeout->transport.bytes_unread = 2;
  seen.timeout->transport.bytes_unsent = 30;
  seen.timeout->transport.tcp.emplace();
  seen.timeout->transport.tcp->segments_unacked = 4;
  seen.timeout->transport.tcp->retransmits = 3;
  seen.timeout->transport.tcp->rtt = 1234us;

  server.on_incident(seen, kStart + 1s);

  ASSERT_TRUE(log.last("server is down"));
  EXPECT_EQ(log.last("server is down")->text(),
            "server is down server=cache-1 cause=network_lost incidents=2 retry_in=30000.000ms "
            "timer_late=0.250ms stalled=3.000ms loop_lag=1.500ms replies_owed=7 bytes_unread=12 "
            "bytes_unsent=35 tcp_unacked=4 tcp_retransmits=3 tcp_rtt=1.234ms "
            "error=Connection reset by peer");
  EXPECT_EQ(log.last("server is down")->level, LogLevel::Warn);
}

TEST_F(SharedServerTest, LogsWhatAProbeFoundAndWhenTheNextIsDue) {
  SharedServer& server = add_down("a");

  const auto next = server.on_probe_failed(Failure::ConnectRefused, kStart + 30s);

  EXPECT_EQ(next, kStart + 90s);
  EXPECT_EQ(log.last("server stays down")->field("probe"), "connect_refused");
  EXPECT_EQ(log.last("server stays down")->field("next_probe_in"), "60000.000ms");
}

TEST_F(SharedServerTest, IsOnTrialAfterItsProbeAndDownAgainAfterOneIncident) {
  SharedServer& server = add_down("a");
  server.on_probe_answered();
  EXPECT_EQ(server.state(), State::Trial);
  EXPECT_FALSE(server.is_down());

  const auto again = fail(server, Failure::ConnectRefused, kStart + 40s);

  EXPECT_TRUE(server.is_down());
  EXPECT_EQ(again.probe_at, kStart + 100s);
}

TEST_F(SharedServerTest, DoesNotFailItsTrialByAWaitFromBeforeItWasDown) {
  SharedServer& server = add_down("a");
  server.on_probe_answered();

  server.on_incident(incident(Failure::ServerLate, kStart - 1ms), kStart + 31s);

  EXPECT_EQ(server.state(), State::Trial);
}

// ---- the fail-open rule

TEST_F(SharedServerTest, IsKeptUpWhileAllServersSeemToFailAtOnce) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  for (int round = 0; round < 5; ++round) {
    const TimePoint now = kStart + round * 300ms;
    fail(a, Failure::ServerLate, now);
    fail(b, Failure::ServerLate, now + 10ms);
  }

  EXPECT_EQ(a.state(), State::Up);
  EXPECT_EQ(b.state(), State::Up);
  EXPECT_EQ(log.events().size(), 1U);
  EXPECT_EQ(log.count("all servers seem to fail at once, so the fault is ours: they are kept up"),
            1U);
}

TEST_F(SharedServerTest, SaysOnceThatServersAnswerAgain) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  for (int round = 0; round < 3; ++round) {
    fail(a, Failure::ServerLate, kStart + round * 300ms);
    fail(b, Failure::ServerLate, kStart + round * 300ms);
  }

  a.on_answered();
  b.on_answered();
  a.on_answered();

  EXPECT_EQ(log.count("servers answer again"), 1U);
  EXPECT_EQ(log.events().size(), 2U);
}

TEST_F(SharedServerTest, GoesDownWhereAnotherServerStillAnswers) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  fail(b, Failure::ServerLate, kStart);
  b.on_answered();
  fail(a, Failure::ServerLate, kStart);

  fail(a, Failure::ServerLate, kStart + 300ms);

  EXPECT_TRUE(a.is_down());
}

TEST_F(SharedServerTest, GoesDownWhereTheOthersFailedInAnotherMoment) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  fail(b, Failure::ServerLate, kStart);
  fail(a, Failure::ServerLate, kStart + 1500ms);

  fail(a, Failure::ServerLate, kStart + 1800ms);

  EXPECT_TRUE(a.is_down());
}

TEST_F(SharedServerTest, GoesDownWhereItWasRefusedHoweverManyOthersAre) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  for (SharedServer* server : {&a, &b}) {
    fail(*server, Failure::ConnectRefused, kStart);
    fail(*server, Failure::ConnectRefused, kStart + 1ms);
  }

  EXPECT_TRUE(a.is_down());
  EXPECT_TRUE(b.is_down());
}

TEST_F(SharedServerTest, IsNoProofOfItsOwnAloneInTheFleet) {
  SharedServer& a = add("a");
  fail(a, Failure::ServerLate, kStart);

  fail(a, Failure::ServerLate, kStart + 300ms);

  EXPECT_TRUE(a.is_down());
}

TEST_F(SharedServerTest, IsJudgedWithoutThoseThatAreDownAlready) {
  add_down("gone");
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  fail(a, Failure::ServerLate, kStart);
  fail(b, Failure::ServerLate, kStart);

  fail(a, Failure::ServerLate, kStart + 300ms);

  EXPECT_EQ(a.state(), State::Up);
}

TEST_F(SharedServerTest, GoesDownAfterAllWhereOnlyTheOthersComeBack) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  for (int round = 0; round < 2; ++round) {
    fail(a, Failure::ServerLate, kStart + round * 300ms);
    fail(b, Failure::ServerLate, kStart + round * 300ms);
  }
  b.on_answered();

  fail(a, Failure::ServerLate, kStart + 600ms);

  EXPECT_TRUE(a.is_down());
  EXPECT_EQ(b.state(), State::Up);
}

// ---- the fleet

TEST_F(SharedServerTest, IsTheSameForEveryPoolThatNamesItsEndpoint) {
  SharedServer& a = add("a");
  const SharedServer& again = *fleet.server("other", a.endpoint(), health);

  EXPECT_EQ(&a, &again);
  EXPECT_EQ(fleet.servers().size(), 1U);
}

TEST_F(SharedServerTest, GivesItsAddressOnceItHasOne) {
  SharedServer& a = add("a");
  EXPECT_FALSE(a.address());

  a.set_address(*net::numeric_address({.host = "127.0.0.1", .port = 5, .unix_path = {}}));

  ASSERT_TRUE(a.address());
  EXPECT_EQ(a.address()->text(), "127.0.0.1:5");
}

TEST_F(SharedServerTest, TakesReportsFromManyThreads) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  {
    std::vector<std::jthread> threads;
    for (int worker = 0; worker < 4; ++worker) {
      threads.emplace_back([&a, &b, worker] {
        for (int i = 0; i < 500; ++i) {
          SharedServer& server = (i + worker) % 2 == 0 ? a : b;
          const TimePoint now = kStart + i * 1ms;
          const auto consequence = fail(server, Failure::ServerLate, now);
          if (consequence.probe_at) server.on_probe_answered();
          server.on_answered();
          static_cast<void>(server.is_down());
        }
      });
    }
  }

  // Each Down was probed by whom it was told to, or lifted with the others.
  EXPECT_FALSE(a.is_down());
  EXPECT_FALSE(b.is_down());
  EXPECT_LE(log.count("server is back on trial"), log.count("server is down"));
}

TEST_F(SharedServerTest, IsKeptUpAlsoWhereWaitsAreLongerThanAMoment) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  for (int round = 1; round <= 3; ++round) {  // response: 2s
    const TimePoint now = kStart + round * 2s;
    a.on_incident(incident(Failure::ServerLate, now - 2s), now);
    b.on_incident(incident(Failure::ServerLate, now - 2s + 10ms), now + 10ms);
  }

  EXPECT_EQ(a.state(), State::Up);
  EXPECT_EQ(b.state(), State::Up);
}

TEST_F(SharedServerTest, IsLiftedWhereTheOthersFallSilentJustAfterIt) {
  SharedServer& a = add("a");
  SharedServer& b = add("b");
  fail(a, Failure::ServerLate, kStart);
  fail(a, Failure::ServerLate, kStart + 300ms);
  EXPECT_TRUE(a.is_down());

  fail(b, Failure::ServerLate, kStart + 310ms);
  fail(b, Failure::ServerLate, kStart + 620ms);

  EXPECT_EQ(a.state(), State::Up);
  EXPECT_EQ(b.state(), State::Up);
  EXPECT_EQ(a.on_probe_failed(Failure::ServerLate, kStart + 31s), std::nullopt);
}

TEST_F(SharedServerTest, GoesOnToItsNextAddressWhereOneCannotBeReached) {
  SharedServer& a = add("a");
  const auto address = [](const char* host) {
    return *net::numeric_address({.host = host, .port = 5, .unix_path = {}});
  };
  a.set_addresses({address("::1"), address("127.0.0.1")});
  EXPECT_EQ(a.address()->text(), "[::1]:5");

  fail(a, Failure::ServerLate, kStart);
  EXPECT_EQ(a.address()->text(), "[::1]:5");
  fail(a, Failure::ConnectRefused, kStart);

  EXPECT_EQ(a.address()->text(), "127.0.0.1:5");
}

TEST_F(SharedServerTest, TellsWhatItDidNotHoldAgainstTheServerOnceASecond) {
  SharedServer& a = add("a");
  TimeoutEvidence found;
  found.found_unread = ByteCount{42};
  for (int i = 0; i < 10; ++i) {
    a.on_excused_wait(TimeoutVerdict::Recovered, found, kStart + i * 200ms);
  }
  a.on_excused_wait(TimeoutVerdict::WeStalled, {}, kStart + 5s);

  EXPECT_EQ(log.count("a reply was here when its wait ran out: recovered"), 2U);
  EXPECT_EQ(log.count("a wait ran out while we stalled: the server gets a fresh one"), 1U);
  EXPECT_EQ(log.events().front().field("bytes_found"), "42");
}

TEST_F(SharedServerTest, KeepsTheAddressInUseWhileItIsAmongTheNewOnes) {
  SharedServer& server = add("a");
  const auto address = [](const std::string& host) {
    return *net::numeric_address({.host = host, .port = 1, .unix_path = {}});
  };
  server.set_addresses({address("10.0.0.1"), address("10.0.0.2")});

  EXPECT_FALSE(server.set_addresses({address("10.0.0.2"), address("10.0.0.1")}));
  EXPECT_TRUE(server.set_addresses({address("10.0.0.3"), address("10.0.0.1")}));
  EXPECT_EQ(server.address(), address("10.0.0.1"));

  EXPECT_TRUE(server.set_addresses({address("10.0.0.4")}));
  EXPECT_EQ(server.address(), address("10.0.0.4"));
}

TEST_F(SharedServerTest, IsForgottenWhenNobodyUsesItAnyMore) {
  add("a");
  add("b");
  records.erase(records.begin());

  ASSERT_EQ(fleet.servers().size(), 1U);
  EXPECT_EQ(fleet.servers().front()->name(), "b");
}

TEST_F(SharedServerTest, TellsOfTheFirstIncidentAfterItWasLastAsked) {
  int told = 0;
  fleet.set_on_doubt([&] { ++told; });
  SharedServer& server = add("a");

  fail(server, Failure::ConnectRefused, kStart);
  fail(server, Failure::ConnectRefused, kStart + 1s);
  EXPECT_EQ(told, 1);

  EXPECT_TRUE(server.take_doubt());
  EXPECT_FALSE(server.take_doubt());
  fail(server, Failure::ConnectRefused, kStart + 2s);
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace mcsteady::upstream
