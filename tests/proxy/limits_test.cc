// Each limit from both sides of its border: what the client is told, and what is counted.

#include "proxy/binary_fixture.h"

namespace mcsteady::test {
namespace {

class LimitsTest : public BinaryTest {
 protected:
  std::uint64_t over(const std::string& limit) const { return counted("over_limit_" + limit); }
};

TEST_F(LimitsTest, AKeyOfTheLimitIsTakenAndOneByteMoreRefused) {
  options.client.limits.key_max = ByteCount{20};
  start(1);
  const std::string good(20, 'k');
  const std::string bad(21, 'k');
  for (const std::string command : {"get ", "mg ", "delete ", "gat 0 a "}) {
    EXPECT_EQ(ask(command + good + "\r\n").find("CLIENT_ERROR"), std::string::npos) << command;
    EXPECT_EQ(ask(command + bad + "\r\n"), "CLIENT_ERROR bad command line format\r\n") << command;
  }
  EXPECT_EQ(over("key"), 4U);
  EXPECT_EQ(ask("set " + bad + " 0 0 1 noreply\r\nx\r\nmn\r\n"), "MN\r\n");  // told nothing
  EXPECT_EQ(over("key"), 5U);
  EXPECT_EQ(ask("set a b c d\r\n"), "CLIENT_ERROR bad command line format\r\n");
  EXPECT_EQ(over("key"), 5U);

  EXPECT_EQ(get(good).status, Status::KeyNotFound);
  EXPECT_EQ(get(bad).status, Status::InvalidArguments);
  EXPECT_EQ(over("key"), 6U);
}

TEST_F(LimitsTest, ALineOfTheLimitIsTakenAndOneByteMoreEndsTheConnection) {
  options.client.limits.line_max = KiB(1);
  start(1);
  const auto line_of = [](std::size_t size) {
    const std::string command = "mg k v";
    return command + std::string(size - command.size() - 2, ' ') + "\r\n";
  };

  EXPECT_EQ(ask(line_of(1024)), "EN\r\n");
  EXPECT_EQ(over("line"), 0U);
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, line_of(1025)), "CLIENT_ERROR line too long\r\n");
  EXPECT_TRUE(client.is_over());
  EXPECT_EQ(over("line"), 1U);
}

TEST_F(LimitsTest, AValueOfTheLimitIsTakenAndOneByteMoreRefused) {
  options.client.limits.value_max = ByteCount{1000};
  start(1);

  EXPECT_EQ(ask(set_request("a", std::string(1000, 'v'))), "STORED\r\n");
  EXPECT_EQ(over("value"), 0U);
  EXPECT_EQ(ask(set_request("a", std::string(1001, 'v')) + "mn\r\n"),
            "SERVER_ERROR object too large for cache\r\nMN\r\n");
  EXPECT_EQ(over("value"), 1U);

  EXPECT_EQ(ask_one(storing(Opcode::Set, "a", std::string(1000, 'v'))).status, Status::Ok);
  EXPECT_EQ(ask_one(storing(Opcode::Set, "a", std::string(1001, 'v'))).status, Status::TooLarge);
  EXPECT_EQ(over("value"), 2U);
}

TEST_F(LimitsTest, AGetOfAsManyKeysAsTheLimitIsTakenAndOneMoreRefused) {
  options.client.limits.get_keys_max = 3;
  start(1);
  for (const std::string command : {"get", "gets", "gat 0", "gats 0"}) {
    EXPECT_EQ(ask(command + " a b c\r\n"), "END\r\n") << command;
    EXPECT_EQ(ask(command + " a b c d\r\nmn\r\n"), "CLIENT_ERROR too many keys\r\nMN\r\n")
        << command;
  }
  EXPECT_EQ(over("get_keys"), 4U);
}

TEST_F(LimitsTest, RequestsAboveTheLimitInFlightWaitToBeRead) {
  options.client.in_flight_max = 3;
  start(1);
  servers[0]->next(ServerAct::answer_after(50ms));
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, repeated("get a\r\n", 3)), "");
  EXPECT_EQ(over("in_flight"), 0U);
  client.send(repeated("get b\r\n", 2));
  run_for(5ms);
  EXPECT_EQ(over("in_flight"), 1U);
  EXPECT_EQ(servers[0]->requests(), std::vector<std::string>{"get a a a"});
  run_for(100ms);

  EXPECT_EQ(client.take_received(), repeated("END\r\n", 5));
}

TEST_F(LimitsTest, AnIdleClientIsClosedWithoutAWord) {
  options.client.idle_max = 10s;
  start(1);
  SimPeer& idle = connect();
  SimPeer& busy = connect();
  EXPECT_EQ(ask(idle, "mn\r\n", 5s), "MN\r\n");
  EXPECT_EQ(ask(busy, "mn\r\n", 4990ms), "MN\r\n");
  EXPECT_FALSE(idle.is_over());
  EXPECT_EQ(ask(busy, "mn\r\n", 20ms), "MN\r\n");

  EXPECT_TRUE(idle.is_over());
  EXPECT_EQ(idle.take_received(), "");
  EXPECT_FALSE(busy.is_over());
  EXPECT_EQ(closed("idle"), 1U);
}

TEST_F(LimitsTest, AClientThatWaitsForItsReplyIsNotIdleAndItsTimeBeginsBehindThat) {
  options.client.idle_max = 1s;
  server.response_timeout = 60s;
  server.request_timeout = 60s;
  start(1);
  servers[0]->next(ServerAct::answer_after(5s));
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, "get a\r\n", 5900ms), "END\r\n");
  EXPECT_FALSE(client.is_over());
  run_for(200ms);

  EXPECT_TRUE(client.is_over());
}

TEST_F(LimitsTest, AClientThatTakesItsReplySlowlyIsNotIdle) {
  options.client.idle_max = 1s;
  start(1);
  store("a", std::string(500'000, 'v'));
  SimPeer& client = connect();
  client.set_receiving(false);
  ask(client, repeated("get a\r\n", 10), 5500ms);
  client.set_receiving(true);
  run_for(800ms);
  EXPECT_FALSE(client.is_over());
  run_for(500ms);

  EXPECT_EQ(closed("idle"), 1U);
}

TEST_F(LimitsTest, WithoutALimitAClientMayBeIdleForever) {
  start(1);
  SimPeer& client = connect();
  ask(client, "mn\r\n", 24h);

  EXPECT_EQ(ask(client, "mn\r\n"), "MN\r\n");
}

TEST_F(LimitsTest, ARequestThatTakesTooLongToArriveIsToldSoAndEndsTheConnection) {
  options.client.request_time_max = 10s;
  options.client.stuck_timeout = 1000s;
  start(1);
  const std::string large = "set a 0 0 100000\r\n" + std::string(50'000, 'x');
  const std::string refused = "set a 0 0 99999999\r\nx";
  for (const std::string& half : {std::string("get a"), std::string("set a 0 0 5\r\nab"), large}) {
    SimPeer& client = connect();
    EXPECT_EQ(ask(client, "mn\r\n" + half, 9s), "MN\r\n");
    client.send("b");  // a byte now and then does not help
    run_for(900ms);
    EXPECT_FALSE(client.is_over());
    run_for(200ms);
    EXPECT_EQ(client.take_received(), "CLIENT_ERROR request took too long to arrive\r\n");
    EXPECT_TRUE(client.is_over());
  }
  EXPECT_EQ(closed("slow_request"), 3U);
  SimPeer& swallowing = connect();
  ask(swallowing, refused, 11s);
  EXPECT_TRUE(swallowing.is_over());
}

TEST_F(LimitsTest, ARequestThatArrivesInTimeIsServedAndTheNextOneHasItsOwnTime) {
  options.client.request_time_max = 10s;
  start(1);
  SimPeer& client = connect();
  const std::string request = set_request("a", std::string(50'000, 'x'));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(client, std::string_view(request).substr(0, 20'000), 9s), "");
    EXPECT_EQ(ask(client, std::string_view(request).substr(20'000)), "STORED\r\n");
    EXPECT_EQ(ask(client, "get", 9s), "");
    EXPECT_EQ(ask(client, " b\r\n"), "END\r\n");
  }
  EXPECT_EQ(closed("slow_request"), 0U);
}

TEST_F(LimitsTest, ASlowBinaryRequestEndsTheConnectionWithoutAWord) {
  options.client.request_time_max = 10s;
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, bytes_of(Opcode::Get, "key").substr(0, 20), 11s), "");
  EXPECT_TRUE(client.is_over());
  EXPECT_EQ(closed("slow_request"), 1U);
}

TEST_F(LimitsTest, AStallOfOursIsNotAClientsDelay) {
  options.client.request_time_max = 10s;
  start(1);
  SimPeer& client = connect();
  ask(client, "set a 0 0 5\r\nab", 5s);
  client.send("cde\r\n");
  proxy_side.stall(60s);
  run_for(10ms);

  EXPECT_EQ(client.take_received(), "STORED\r\n");
  EXPECT_EQ(closed("slow_request"), 0U);
}

TEST_F(LimitsTest, AStrangerHasItsTimeToAuthenticate) {
  options.listeners[0].auth_file = "users";
  options.client.auth.time_max = 10s;
  credentials.users["app"] = {.text = "secret", .is_hash = false};
  start(1);
  SimPeer& late = connect();
  SimPeer& early = connect();
  ask(late, "get a\r\n", 9s);
  late.take_received();
  EXPECT_EQ(ask(early, "set x 0 0 10\r\napp secret\r\n", 900ms), "STORED\r\n");
  EXPECT_FALSE(late.is_over());
  run_for(200ms);

  EXPECT_EQ(late.take_received(), "CLIENT_ERROR authentication took too long\r\n");
  EXPECT_TRUE(late.is_over());
  EXPECT_EQ(closed("auth_late"), 1U);
  EXPECT_EQ(ask(early, "mn\r\n", 60s), "MN\r\n");
}

}  // namespace
}  // namespace mcsteady::test
