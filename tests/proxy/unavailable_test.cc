// What a client gets where a server gives no reply, by the pool's policy.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using protocol::DownPolicy;

enum class Trouble { Down, Late, Lost };

struct Case {
  std::string_view request;      // of key K, which the test replaces
  std::string_view miss, error;  // E stands for SERVER_ERROR with server and cause
};
constexpr Case kCases[] = {
    {"get K\r\n", "END\r\n", "E"},
    {"gets K\r\n", "END\r\n", "E"},
    {"gat 0 K\r\n", "END\r\n", "E"},
    {"gats 0 K\r\n", "END\r\n", "E"},
    {"get K K\r\n", "END\r\n", "E"},
    {"set K 0 0 1\r\nx\r\n", "E", "E"},
    {"add K 0 0 1\r\nx\r\n", "E", "E"},
    {"replace K 0 0 1\r\nx\r\n", "E", "E"},
    {"append K 0 0 1\r\nx\r\n", "E", "E"},
    {"prepend K 0 0 1\r\nx\r\n", "E", "E"},
    {"cas K 0 0 1 5\r\nx\r\n", "E", "E"},
    {"incr K 1\r\n", "E", "E"},
    {"decr K 1\r\n", "E", "E"},
    {"delete K\r\n", "E", "E"},
    {"touch K 0\r\n", "E", "E"},
    {"mg K v k O1\r\n", "EN kK O1\r\n", "E"},
    {"ms K 1 O1\r\nx\r\n", "NS O1\r\n", "E"},
    {"md K k\r\n", "NF kK\r\n", "E"},
    {"ma K v\r\n", "NF\r\n", "E"},
    {"me K\r\n", "EN\r\n", "E"},
    {"flush_all\r\n", "E", "E"},
    // Quiet: never an error line, and silence where the nominal reply is silence.
    {"mg K v q\r\n", "", ""},
    {"ms K 1 q O1\r\nx\r\n", "NS O1\r\n", "NS O1\r\n"},
    {"md K q\r\n", "NF\r\n", "NF\r\n"},
    {"ma K q\r\n", "NF\r\n", "NF\r\n"},
    {"set K 0 0 1 noreply\r\nx\r\n", "", ""},
    {"incr K 1 noreply\r\n", "", ""},
    {"delete K noreply\r\n", "", ""},
    {"touch K 0 noreply\r\n", "", ""},
    {"flush_all noreply\r\n", "", ""},
};

class UnavailableTest : public WorkerTest {
 protected:
  static std::string with_key(std::string_view text, const std::string& key) {
    std::string out;
    for (const char letter : text) out += letter == 'K' ? key : std::string(1, letter);
    return out;
  }
  void make(Trouble trouble, ScriptedServer& at) {
    if (trouble == Trouble::Down) at.stop();
    at.script([trouble](const MemcachedCommand&) {
      return trouble == Trouble::Late ? ServerAct::never_answer()
                                      : ServerAct::close_without_answer();
    });
  }
  static std::string_view cause_of(Trouble trouble) {
    if (trouble == Trouble::Down) return "connection refused";
    return trouble == Trouble::Late ? "no reply in time" : "connection lost";
  }
};

using Given = std::tuple<Trouble, DownPolicy>;
class EveryVerb : public UnavailableTest, public testing::WithParamInterface<Given> {};

TEST_P(EveryVerb, GetsWhatThePolicySays) {
  const auto [trouble, policy] = GetParam();
  pool.on_down = policy;
  start(2);
  make(trouble, *servers[1]);
  const std::string failure = "SERVER_ERROR server1: " + std::string(cause_of(trouble)) + "\r\n";
  for (const Case& each : kCases) {
    const std::string_view expected = policy == DownPolicy::Miss ? each.miss : each.error;
    const std::string reply = expected == "E" ? failure : with_key(expected, key_on(1));
    SimPeer& client = connect();
    EXPECT_EQ(ask(client, with_key(each.request, key_on(1)) + "mn\r\n", 600ms), reply + "MN\r\n")
        << each.request;
    client.close();
  }
}

INSTANTIATE_TEST_SUITE_P(TroublesAndPolicies, EveryVerb,
                         testing::Combine(testing::Values(Trouble::Down, Trouble::Late,
                                                          Trouble::Lost),
                                          testing::Values(DownPolicy::Miss, DownPolicy::Error)));

TEST_F(UnavailableTest, AMultiGetMissesTheKeysOfAServerThatIsDown) {
  start(2);
  store(key_on(0), "here");
  store(key_on(0, 1), "too");
  servers[1]->stop();

  EXPECT_EQ(ask("get " + key_on(1) + " " + key_on(0) + " " + key_on(1, 1) + " " + key_on(0, 1) +
                "\r\nmn\r\n"),
            item(key_on(0), "here") + item(key_on(0, 1), "too") + "END\r\nMN\r\n");
}

TEST_F(UnavailableTest, AMultiGetEndsWithTheErrorWhereThePolicyIsError) {
  pool.on_down = DownPolicy::Error;
  start(2);
  store(key_on(0), "here");
  servers[1]->stop();

  EXPECT_EQ(ask("get " + key_on(1) + " " + key_on(0) + "\r\nmn\r\n"),
            item(key_on(0), "here") + "SERVER_ERROR server1: connection refused\r\nMN\r\n");
}

TEST_F(UnavailableTest, AServerThatIsDownIsNotWaitedFor) {
  server.health.max_failures = 1;
  start(2);
  SimPeer& client = connect();
  make(Trouble::Late, *servers[1]);
  ask(client, "get " + key_on(1) + "\r\n", 400ms);

  EXPECT_EQ(ask(client, "incr " + key_on(1) + " 1\r\nget " + key_on(1) + "\r\n", 200us),
            "SERVER_ERROR server1: server is down\r\nEND\r\n");
}

TEST_F(UnavailableTest, ALateServerHoldsUpOnlyWhatIsBehindItInTheOrder) {
  start(2);
  store(key_on(0), "v");
  make(Trouble::Late, *servers[1]);
  SimPeer& waiting = connect();
  waiting.send("get " + key_on(1) + "\r\n");

  EXPECT_EQ(ask("get " + key_on(0) + "\r\n", 1ms), item(key_on(0), "v") + "END\r\n");
}

TEST_F(UnavailableTest, AValueThatBreaksOffIsNotPassedOn) {
  start(2);
  for (const std::size_t size : {100UL, 100'000UL}) {
    store(key_on(0), std::string(size, 'v'));
    servers[0]->next(ServerAct::break_off_after(size / 2));
    EXPECT_EQ(ask("get " + key_on(0) + " " + key_on(1) + "\r\nmn\r\n"), "END\r\nMN\r\n");
    servers[0]->next(ServerAct::break_off_after(size / 2));
    EXPECT_EQ(ask("get " + key_on(0) + "\r\nmn\r\n"), "END\r\nMN\r\n");
  }
}

TEST_F(UnavailableTest, FlushAllGoesToEveryServer) {
  start(3);
  for (std::size_t i = 0; i < 3; ++i) store(key_on(i), "v");

  EXPECT_EQ(ask("flush_all\r\n"), "OK\r\n");
  for (const auto& each : servers) EXPECT_EQ(each->items().size(), 0U);
}

TEST_F(UnavailableTest, FlushAllTellsTheErrorOfAServer) {
  start(3);
  SimPeer& client = connect();
  servers[1]->next(ServerAct::answer_with("CLIENT_ERROR flush_all not allowed\r\n"));
  EXPECT_EQ(ask(client, "flush_all 0\r\nmn\r\n"), "CLIENT_ERROR flush_all not allowed\r\nMN\r\n");
  servers[2]->stop();
  EXPECT_EQ(ask(client, "flush_all\r\nmn\r\n"),
            "SERVER_ERROR server2: connection refused\r\nMN\r\n");

  EXPECT_EQ(servers[0]->count("flush_all"), 2U);
}

TEST_F(UnavailableTest, FlushAllTellsTheFirstOfSeveralFailures) {
  start(3);
  SimPeer& client = connect();
  servers[0]->next(ServerAct::answer_with("SERVER_ERROR busy\r\n"));
  servers[1]->next(ServerAct::never_answer());
  ServerAct later = ServerAct::answer_with("SERVER_ERROR busy, too\r\n");
  later.delay = 100ms;
  servers[2]->next(later);

  EXPECT_EQ(ask(client, "flush_all\r\nmn\r\n", 400ms), "SERVER_ERROR busy\r\nMN\r\n");
  servers[0]->next(ServerAct::never_answer());
  servers[1]->next(ServerAct::close_without_answer());
  EXPECT_EQ(ask(client, "flush_all\r\nmn\r\n", 400ms),
            "SERVER_ERROR server1: connection lost\r\nMN\r\n");
}

TEST_F(UnavailableTest, AServerThatIsDownEndsNoMultiGetBeforeItsLastKey) {
  options.client.output_high_water = KiB(4);
  start(2);
  std::string request = "get";
  std::string reply;
  for (int i = 0; i < 100; ++i) {
    request += " " + key_on(0, i) + " " + key_on(1, i);
    store(key_on(0, i), std::string(500, 'v'));
    reply += item(key_on(0, i), std::string(500, 'v'));
  }
  servers[1]->stop();

  EXPECT_EQ(ask(request + "\r\n", 100ms), reply + "END\r\n");
}

TEST_F(UnavailableTest, FlushAllWaitsForTheSlowestServer) {
  start(2);
  servers[1]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, "flush_all\r\nmn\r\n", 90ms), "");
  run_for(20ms);

  EXPECT_EQ(client.received(), "OK\r\nMN\r\n");
}

}  // namespace
}  // namespace mcsteady::test
