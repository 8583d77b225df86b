// Storage requests and their bodies: small ones, large ones, and those that are refused.

#include <algorithm>

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

class StorageTest : public WorkerTest {
 protected:
  static std::string body(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 23);
    return text;
  }
};

TEST_F(StorageTest, CarriesABodyOfAnySizeAroundTheBufferSize) {
  start(1);
  SimPeer& client = connect();
  for (const std::size_t size : {0UL, 1UL, 16'350UL, 16'360UL, 16'364UL, 16'365UL, 16'366UL,
                                 16'367UL, 16'368UL, 16'383UL, 16'384UL, 16'385UL, 40'000UL}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(ask(client, set_request("a", body(size)) + "get a\r\n"),
              "STORED\r\n" + item("a", body(size)) + "END\r\n");
  }
}

TEST_F(StorageTest, CarriesALargeBodyWhereverItIsCut) {
  start(1);
  const std::string request = set_request("a", body(20'000)) + "mn\r\n";
  for (std::size_t cut = 1; cut < request.size(); cut += cut < 40 || cut > 19'980 ? 1 : 97) {
    SimPeer& client = connect();
    client.send(request.substr(0, cut));
    run_for(1ms);
    ASSERT_EQ(ask(client, request.substr(cut)), "STORED\r\nMN\r\n") << cut;
    ASSERT_EQ(servers[0]->items().value("a"), body(20'000)) << cut;
    client.close();
  }
}

TEST_F(StorageTest, ReceivesALargeBodyWhereItWillStay) {
  start(1);
  SimPeer& client = connect();
  client.send("set a 0 0 100000\r\n");
  run_for(1ms);
  EXPECT_EQ(ask(client, body(100'000) + "\r\n"), "STORED\r\n");

  const auto is_in_place = [](const SimStream* stream) {
    return std::ranges::find(stream->rooms(), 100'002U) != stream->rooms().end();
  };
  EXPECT_TRUE(std::ranges::any_of(proxy_side.streams(), is_in_place));
}

TEST_F(StorageTest, SendsNothingOfABodyThatIsNotAllHere) {
  start(1);
  SimPeer& client = connect();
  ask(client, "set a 0 0 100000\r\n" + body(90'000));
  EXPECT_EQ(servers[0]->connections(), 0U);
  client.close();
  run_for(10ms);

  EXPECT_EQ(requests_seen("set"), 0U);
  EXPECT_EQ(closed("client_closed"), 1U);
}

TEST_F(StorageTest, RefusesABodyThatDoesNotEndWithItsLine) {
  start(1);

  EXPECT_EQ(ask("set a 0 0 3\r\nabcde" + std::string("mn\r\n")),
            "CLIENT_ERROR bad data chunk\r\nMN\r\n");
  EXPECT_EQ(ask("set a 0 0 50000\r\n" + body(50'000) + "xxmn\r\n"),
            "CLIENT_ERROR bad data chunk\r\nMN\r\n");
  EXPECT_EQ(ask("ms a 3 q\r\nabcde" + std::string("mn\r\n")),
            "CLIENT_ERROR bad data chunk\r\nMN\r\n");
  EXPECT_EQ(requests_seen("set"), 0U);
}

TEST_F(StorageTest, SaysNothingOfABadBodyToWhoWantsNoReply) {
  start(1);

  EXPECT_EQ(ask("set a 0 0 3 noreply\r\nabcde" + std::string("mn\r\n")), "MN\r\n");
  EXPECT_EQ(ask("set a 0 0 50000 noreply\r\n" + body(50'000) + "xxmn\r\n"), "MN\r\n");
}

TEST_F(StorageTest, SwallowsABodyThatIsTooLarge) {
  options.client.limits.value_max = KiB(100);
  start(1);

  EXPECT_EQ(ask(set_request("a", body(102'401)) + "mn\r\n"),
            "SERVER_ERROR object too large for cache\r\nMN\r\n");
  EXPECT_EQ(ask("set a 0 0 102401 noreply\r\n" + body(102'401) + "\r\nmn\r\n"), "MN\r\n");
  EXPECT_EQ(ask(set_request("a", body(102'400)) + "mn\r\n"), "STORED\r\nMN\r\n");
}

TEST_F(StorageTest, WhatASetOverTheLimitWasToReplaceIsGone) {
  options.client.limits.value_max = ByteCount{1000};
  start(2);
  const std::string too_large = "SERVER_ERROR object too large for cache\r\n";
  for (const std::string& key : {key_on(0), key_on(1)}) {
    SimPeer& client = connect();
    const std::string get = "get " + key + "\r\n";
    const auto put = [&] { ask(client, set_request(key, "old")); };
    const std::string add = "add " + key + " 0 0 1001\r\n" + body(1001) + "\r\n";
    const std::string quiet = "set " + key + " 0 0 1001 noreply\r\n" + body(1001) + "\r\n";
    const std::string meta = "ms " + key + " 1001 q MA\r\n" + body(1001) + "\r\n";

    put();
    EXPECT_EQ(ask(client, add + get), too_large + item(key, "old") + "END\r\n");
    EXPECT_EQ(ask(client, set_request(key, body(1001)) + get), too_large + "END\r\n");
    put();
    EXPECT_EQ(ask(client, quiet + get), "END\r\n");
    put();
    EXPECT_EQ(ask(client, meta + get), too_large + "END\r\n");
  }
}

TEST_F(StorageTest, TellsOfTheLimitThoughItsServerIsDown) {
  options.client.limits.value_max = ByteCount{1000};
  start(1);
  servers[0]->stop();

  EXPECT_EQ(ask(set_request("a", body(1001)) + "mn\r\n"),
            "SERVER_ERROR object too large for cache\r\nMN\r\n");
}

TEST_F(StorageTest, SwallowsABodyForWhichThereIsNoMemory) {
  ceiling = KiB(256);
  start(1);
  store("a", "old");

  EXPECT_EQ(ask(set_request("a", body(300'000)) + "get a\r\n"),
            "SERVER_ERROR out of memory storing object\r\nEND\r\n");
  EXPECT_EQ(ask("set a 0 0 300000 noreply\r\n" + body(300'000) + "\r\nmn\r\n"), "MN\r\n");
  EXPECT_EQ(ask("ms a 300000 q\r\n" + body(300'000) + "\r\nmn\r\n"),
            "SERVER_ERROR out of memory storing object\r\nMN\r\n");
}

TEST_F(StorageTest, PassesOnWhatAServerSaysOfAnObject) {
  start(1);
  servers[0]->next(ServerAct::answer_with("SERVER_ERROR object too large for cache\r\n"));

  EXPECT_EQ(ask(set_request("a", "x")), "SERVER_ERROR object too large for cache\r\n");
}

}  // namespace
}  // namespace mcsteady::test
