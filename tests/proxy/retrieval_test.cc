// Multi-key retrievals: split over servers, merged in the order asked, in portions.

#include <algorithm>

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class RetrievalTest : public WorkerTest {
 protected:
  static std::string name(int i) { return "item" + std::to_string(i); }
  void store_all(int count, std::size_t size) {
    for (int i = 0; i < count; ++i) store(name(i), value(i, size));
  }
  static std::string value(int i, std::size_t size) {
    std::string text = std::to_string(i) + ":";
    return text.append(size - std::min(size, text.size()), 'v');
  }
  static std::string get_all(int count) {
    std::string request = "get";
    for (int i = 0; i < count; ++i) request += " " + name(i);
    return request + "\r\n";
  }
  static std::string all_items(int count, std::size_t size) {
    std::string reply;
    for (int i = 0; i < count; ++i) reply += item(name(i), value(i, size));
    return reply + "END\r\n";
  }
  std::size_t keys_asked() const {
    std::size_t total = 0;
    for (const auto& each : servers) {
      for (const std::string& line : each->requests()) {
        if (!line.starts_with("get")) continue;
        total += static_cast<std::size_t>(std::ranges::count(line, ' '));
      }
    }
    return total;
  }
};

TEST_F(RetrievalTest, AsksEachServerOnceAndAnswersInTheOrderAsked) {
  start(3);
  store_all(50, 20);

  EXPECT_EQ(ask(get_all(50)), all_items(50, 20));
  EXPECT_EQ(requests_seen("get"), 3U);
}

TEST_F(RetrievalTest, LeavesMissesOut) {
  start(3);
  store_all(4, 10);

  EXPECT_EQ(ask("get no1 item0 no2 item3 item1 no3\r\n"),
            item("item0", value(0, 10)) + item("item3", value(3, 10)) +
                item("item1", value(1, 10)) + "END\r\n");
}

TEST_F(RetrievalTest, AnswersAKeyAsOftenAsItWasAsked) {
  start(3);
  store_all(2, 10);
  const std::string a = item("item0", value(0, 10));
  const std::string b = item("item1", value(1, 10));

  EXPECT_EQ(ask("get item0 item1 item0 no no item0 item1\r\n"), a + b + a + a + b + "END\r\n");
}

TEST_F(RetrievalTest, TakesAnyBlanksBetweenKeys) {
  start(3);
  store_all(2, 10);

  EXPECT_EQ(ask("get   item0    item1  \r\n"), all_items(2, 10));
}

TEST_F(RetrievalTest, MixesLargeAndSmallValues) {
  start(3);
  std::string reply;
  for (int i = 0; i < 30; ++i) {
    const std::size_t size = i % 3 == 0 ? 200'000 : i % 3 == 1 ? 5 : 16'384;
    store(name(i), value(i, size));
    reply += item(name(i), value(i, size));
  }

  EXPECT_EQ(ask(get_all(30), 200ms), reply + "END\r\n");
}

TEST_F(RetrievalTest, KeepsAValueThatCameBeforeItsTurn) {
  start(2);
  const std::string slow = key_on(0);
  const std::string fast = key_on(1);
  const std::string large = key_on(1, 1);
  store(slow, "slow");
  store(fast, "fast");
  store(large, std::string(100'000, 'l'));
  servers[0]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();
  EXPECT_EQ(ask(client, "get " + slow + " " + fast + " " + large + "\r\n", 90ms), "");
  run_for(20ms);

  EXPECT_EQ(client.received(), item(slow, "slow") + item(fast, "fast") +
                                   item(large, std::string(100'000, 'l')) + "END\r\n");
}

TEST_F(RetrievalTest, PassesOnMuchOfWhatHasItsTurnWhileOthersAreAwaited) {
  start(2);
  const std::string fast = key_on(1);
  const std::string much(20'000, 'f');
  store(fast, much);
  servers[0]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get " + fast + " " + key_on(0) + "\r\n"), item(fast, much));
  run_for(100ms);
  EXPECT_EQ(client.received(), "END\r\n");
}

TEST_F(RetrievalTest, SendsSmallValuesWithTheirEnd) {
  start(2);
  const std::string fast = key_on(1);
  store(fast, "fast");
  servers[0]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get " + fast + " " + key_on(0) + "\r\n"), "");
  run_for(100ms);
  EXPECT_EQ(client.received(), item(fast, "fast") + "END\r\n");
}

TEST_F(RetrievalTest, SendsAValueThatHadToWaitWithItsEnd) {
  start(3);
  const std::string slow = key_on(0), slower = key_on(1), fast = key_on(2);
  for (const std::string& key : {slow, slower, fast}) store(key, "value");
  servers[0]->next(ServerAct::answer_after(50ms));
  servers[1]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get " + slow + " " + fast + " " + slower + "\r\n", 90ms), "");
  run_for(20ms);
  EXPECT_EQ(client.received(),
            item(slow, "value") + item(fast, "value") + item(slower, "value") + "END\r\n");
}

TEST_F(RetrievalTest, SendsWhatFillsASmallHighWaterMark) {
  options.client.output_high_water = KiB(4);
  start(1);
  store_all(30, 1000);
  std::string reply;
  for (int i = 0; i < 30; ++i) reply += item(name(i), value(i, 1000));
  ask("get item0\r\n");  // from now on few are asked for at a time

  EXPECT_EQ(ask(get_all(30), 200ms), reply + "END\r\n");
}

TEST_F(RetrievalTest, PassesOnAValueBehindAMissAtOnce) {
  start(1);
  store_all(2, 20'000);
  ServerAct pausing;
  pausing.pause_in_the_middle = 100ms;
  servers[0]->next(pausing);

  EXPECT_EQ(ask("get missing item0 item1\r\n", 50ms), item("item0", value(0, 20'000)));
}

TEST_F(RetrievalTest, AsksInPortionsThatFitWhatTheClientMayHold) {
  options.client.output_high_water = KiB(64);
  start(3);
  store_all(1000, 10'000);
  SimPeer& client = connect();
  client.set_receiving(false);
  ask(client, get_all(1000), 100ms);
  const std::size_t asked_at_first = keys_asked();
  const std::uint64_t held = memory->peak();
  client.set_receiving(true);
  run_for(1s);

  EXPECT_LT(asked_at_first, 150U);
  EXPECT_LT(held, MiB(2).value);
  EXPECT_EQ(client.received(), all_items(1000, 10'000));
}

TEST_F(RetrievalTest, KeepsRequestsBehindAnUnfinishedOneFromOvertakingIt) {
  options.client.output_high_water = KiB(16);
  start(3);
  store_all(300, 1000);
  SimPeer& client = connect();
  client.set_receiving(false);
  ask(client, get_all(300) + set_request(name(299), "new") + get_all(1) + "mn\r\n", 100ms);
  client.set_receiving(true);
  run_for(1s);

  EXPECT_EQ(client.received(), all_items(300, 1000) + "STORED\r\n" + all_items(1, 1000) + "MN\r\n");
}

TEST_F(RetrievalTest, LetsRequestsBehindItGoWhileItsRepliesAreAwaited) {
  start(2);
  servers[0]->next(ServerAct::answer_after(100ms));
  SimPeer& client = connect();
  ask(client, "get " + key_on(0) + " " + key_on(1) + "\r\nget " + key_on(1) + "\r\n");

  EXPECT_EQ(servers[1]->requests(), std::vector<std::string>{"get " + key_on(1) + " " + key_on(1)});
}

TEST_F(RetrievalTest, KeepsTheLinesOfAGatShort) {
  start(1);
  std::string request = "gat 0";
  std::string reply;
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::string(96, 'k') + std::to_string(1000 + i);
    store(key, "v");
    request += " " + key;
    reply += item(key, "v");
  }
  EXPECT_EQ(ask(request + "\r\n"), reply + "END\r\n");

  EXPECT_GE(servers[0]->count("gat"), 6U);
  for (const std::string& line : servers[0]->requests()) EXPECT_LT(line.size(), 2000U);
}

TEST_F(RetrievalTest, SendsAOneKeyGatWithoutTheBlanksThatWouldMakeItTooLong) {
  start(1);
  store("a", "v");

  EXPECT_EQ(ask("gat 0 " + std::string(3000, ' ') + "a\r\nmn\r\n"),
            item("a", "v") + "END\r\nMN\r\n");
  EXPECT_EQ(servers[0]->requests(), (std::vector<std::string>{"gat 0 a"}));
}

TEST_F(RetrievalTest, TakesALineLongerThanTheInputBuffer) {
  start(3);
  store_all(5000, 3);

  EXPECT_EQ(ask(get_all(5000) + "mn\r\n", 100ms), all_items(5000, 3) + "MN\r\n");
}

TEST_F(RetrievalTest, EndsWithTheErrorThatAServerAnswered) {
  start(2);
  const std::string good = key_on(0);
  store(good, "v");
  servers[1]->next(ServerAct::answer_with("SERVER_ERROR out of memory writing get response\r\n"));

  EXPECT_EQ(ask("get " + good + " " + key_on(1) + "\r\nmn\r\n"),
            item(good, "v") + "SERVER_ERROR out of memory writing get response\r\nMN\r\n");
}

TEST_F(RetrievalTest, PassesOnNothingThatWasNotAskedFor) {
  start(1);
  servers[0]->next(ServerAct::answer_with(item("other", "x") + "END\r\n"));

  EXPECT_EQ(ask("get a b\r\nmn\r\n"), "END\r\nMN\r\n");
}

TEST_F(RetrievalTest, AnswersAtOnceWhereAllServersAreDown) {
  server.health.max_failures = 1;
  options.client.output_high_water = KiB(1);
  start(2);
  SimPeer& client = connect();
  for (const auto& each : servers) each->stop();
  ask(client, "get " + key_on(0) + " " + key_on(1) + "\r\n", 100ms);

  EXPECT_EQ(ask(client, get_all(1000) + "mn\r\n"), "END\r\nMN\r\n");
}

TEST_F(RetrievalTest, ForgetsWhatAClientAskedThatHasGone) {
  start(2);
  servers[0]->next(ServerAct::answer_after(50ms));
  store_all(10, 100);
  SimPeer& client = connect();
  ask(client, get_all(10), 1ms);
  client.close();
  run_for(100ms);

  EXPECT_EQ(ask(get_all(10)), all_items(10, 100));
  EXPECT_EQ(registry.snapshot().total("server_incidents"), 0U);
}

TEST_F(RetrievalTest, IsBoundByTheTimeOfOneRequestHoweverManyPortionsItTakes) {
  server.request_timeout = 800ms;
  options.client.output_high_water = KiB(64);
  start(1);
  store_all(1000, 1000);
  servers[0]->script([](const MemcachedCommand&) { return ServerAct::answer_after(240ms); });
  SimPeer& client = connect();
  client.send(get_all(1000) + "mn\r\n");

  run_for(810ms);

  EXPECT_TRUE(client.received().ends_with("END\r\nMN\r\n"));
}

}  // namespace
}  // namespace mcsteady::test
