// Every command, through one server and through several, however its bytes are cut.

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

struct Line {
  std::string_view request, reply;
};
// In this order, on an empty cache.
constexpr Line kDialogue[] = {
    {"set a 5 0 3\r\nabc\r\n", "STORED\r\n"},
    {"get a\r\n", "VALUE a 5 3\r\nabc\r\nEND\r\n"},
    {"get missing\r\n", "END\r\n"},
    {"add a 0 0 1\r\nx\r\n", "NOT_STORED\r\n"},
    {"append a 0 0 1\r\nd\r\n", "STORED\r\n"},
    {"prepend a 0 0 1\r\nz\r\n", "STORED\r\n"},
    {"replace b 0 0 1\r\nq\r\n", "NOT_STORED\r\n"},
    {"cas a 0 0 2 999999999\r\nno\r\n", "EXISTS\r\n"},
    {"cas b 0 0 2 1\r\nno\r\n", "NOT_FOUND\r\n"},
    {"gat 0 a\r\n", "VALUE a 5 5\r\nzabcd\r\nEND\r\n"},
    {"set empty 0 0 0\r\n\r\n", "STORED\r\n"},
    {"set n 0 0 2 noreply\r\n10\r\n", ""},
    {"incr n 5\r\n", "15\r\n"},
    {"decr n 20\r\n", "0\r\n"},
    {"get n a b empty\r\n",
     "VALUE n 0 2\r\n0 \r\nVALUE a 5 5\r\nzabcd\r\nVALUE empty 0 0\r\n\r\nEND\r\n"},
    {"gat 0 n b\r\n", "VALUE n 0 2\r\n0 \r\nEND\r\n"},
    {"touch a 0\r\n", "TOUCHED\r\n"},
    {"touch b 0\r\n", "NOT_FOUND\r\n"},
    {"delete n\r\n", "DELETED\r\n"},
    {"delete n\r\n", "NOT_FOUND\r\n"},
    {"ms b 2 T0 k Ofirst\r\nhi\r\n", "HD kb Ofirst\r\n"},
    {"mg b v f\r\n", "VA 2 f0\r\nhi\r\n"},
    {"mg b s\r\n", "HD s2\r\n"},
    {"mg missing v Oa\r\n", "EN Oa\r\n"},
    {"mg missing v q\r\n", ""},
    {"ma missing\r\n", "NF\r\n"},
    {"ms count 1\r\n7\r\n", "HD\r\n"},
    {"ma count v D5\r\n", "VA 2\r\n12\r\n"},
    {"ms AAH/ 2 b\r\nhi\r\n", "HD\r\n"},
    {"mg AAH/ b k v\r\n", "VA 2 kAAH/ b\r\nhi\r\n"},
    {"md b q\r\n", ""},
    {"md b\r\n", "NF\r\n"},
    {"me b\r\n", "EN\r\n"},
    {"verbosity 1\r\n", "OK\r\n"},
    {"version\r\n", "VERSION 1.0-test\r\n"},
    {"stats\r\n", "END\r\n"},
    {"bogus\r\n", "ERROR\r\n"},
    {"get\r\n", "ERROR\r\n"},
    {"flush_all\r\n", "OK\r\n"},
    {"get a\r\n", "END\r\n"},
    {"mn\r\n", "MN\r\n"},
};

std::string all_of(std::string_view Line::* side) {
  std::string out;
  for (const Line& line : kDialogue) out += line.*side;
  return out;
}

class CommandsTest : public WorkerTest {
 protected:
  void forget_all() {
    for (const auto& each : servers) each->items().clear();
  }
};

class EveryCommand : public CommandsTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(EveryCommand, IsAnsweredAsMemcachedDoes) {
  start(GetParam());
  SimPeer& client = connect();
  for (const Line& line : kDialogue) {
    EXPECT_EQ(ask(client, line.request), line.reply) << line.request;
  }
}

TEST_P(EveryCommand, IsAnsweredInOrderInOnePipeline) {
  start(GetParam());

  EXPECT_EQ(ask(all_of(&Line::request), 100ms), all_of(&Line::reply));
}

TEST_P(EveryCommand, IsAnsweredTheSameWhereverAPipelineIsCut) {
  start(GetParam());
  const std::string requests = all_of(&Line::request);
  const std::string replies = all_of(&Line::reply);
  for (std::size_t cut = 0; cut < requests.size(); ++cut) {
    forget_all();
    SimPeer& client = connect();
    client.send(requests.substr(0, cut));
    run_for(2ms);
    client.send(requests.substr(cut));
    run_for(2ms);
    ASSERT_EQ(client.received(), replies) << cut;
    client.close();
  }
}

TEST_P(EveryCommand, IsAnsweredTheSameByteByByteInBothDirections) {
  const LinkConditions bytes{.delay_min = 1us, .delay_max = 1us, .chunk_max = 1};
  network.set_conditions({.to_server = bytes, .to_client = bytes});
  start(GetParam());
  SimPeer& client = connect();
  for (const char byte : all_of(&Line::request)) {
    client.send({&byte, 1});
    run_for(200us);
  }
  run_for(20ms);

  EXPECT_EQ(client.received(), all_of(&Line::reply));
}

INSTANTIATE_TEST_SUITE_P(Servers, EveryCommand, testing::Values(1, 3));

TEST_F(CommandsTest, GetsAndCasGoByTheUniqueOfTheServer) {
  start(3);
  SimPeer& client = connect();
  ask(client, "set a 0 0 1\r\nx\r\n");
  EXPECT_EQ(ask(client, "gets a\r\n"), "VALUE a 0 1 1\r\nx\r\nEND\r\n");
  EXPECT_EQ(ask(client, "cas a 0 0 1 1\r\ny\r\n"), "STORED\r\n");

  EXPECT_EQ(ask(client, "gats 0 a b\r\n"), "VALUE a 0 1 2\r\ny\r\nEND\r\n");
}

TEST_F(CommandsTest, ALineMayEndWithABareNewline) {
  start(1);

  EXPECT_EQ(ask("set a 0 0 1\nx\r\nget a\nmn\n"), "STORED\r\n" + item("a", "x") + "END\r\nMN\r\n");
}

TEST_F(CommandsTest, ALineThatNeverEndsIsRefusedAndTheClientClosed) {
  start(1);
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "delete " + std::string(5000, 'k')), "CLIENT_ERROR line too long\r\n");
  EXPECT_TRUE(client.is_over());
  EXPECT_EQ(closed("refused"), 1U);
}

}  // namespace
}  // namespace mcsteady::test
