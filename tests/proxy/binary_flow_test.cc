// How a binary client shares a worker: back-pressure, values that wait for their turn, its end.

#include "proxy/binary_fixture.h"

namespace mcsteady::test {
namespace {

class BinaryFlowTest : public BinaryTest {};

TEST_F(BinaryFlowTest, AClientThatDoesNotReadIsNotReadEitherAndThenGetsAllItsReplies) {
  options.client.output_high_water = KiB(64);
  start(1);
  store("a", std::string(10'000, 'v'));
  SimPeer& client = connect();
  client.set_receiving(false);
  client.send(repeated(bytes_of(Opcode::GetKQ, "a"), 2000) + bytes_of(Opcode::Noop, 5));
  run_for(100ms);
  EXPECT_LT(servers[0]->count("mg"), 400U);
  EXPECT_GE(counted("reads_paused"), 1U);
  EXPECT_LT(memory->peak(), MiB(2).value);

  client.set_receiving(true);
  run_for(3s);

  EXPECT_EQ(replies_of(client.received()).size(), 2001U);
}

TEST_F(BinaryFlowTest, ALargeValueThatComesBeforeItsTurnWaitsWhole) {
  start(2);
  const std::string large(200'000, 'L');
  store(key_on(0), "slow");
  store(key_on(1), large);
  servers[0]->next(ServerAct::answer_after(60ms));
  SimPeer& client = connect();
  client.send(bytes_of(Opcode::Get, key_on(0), 1) + bytes_of(Opcode::GetK, key_on(1), 2));
  run_for(50ms);
  EXPECT_EQ(client.received(), "");
  run_for(50ms);

  const auto replies = replies_of(client.received());
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].value, "slow");
  EXPECT_EQ(replies[1].key, key_on(1));
  EXPECT_TRUE(replies[1].value == large);
}

TEST_F(BinaryFlowTest, ALargeSetMayBeCutAroundEachOfItsBorders) {
  start(1);
  const std::string value = "first" + std::string(40'000, 'x') + "last";
  const BinaryRequest set = storing(Opcode::Set, "key", value);
  const std::string bytes = bytes_of(Opcode::Noop, 1) + set.bytes() + bytes_of(Opcode::Noop, 2);
  const std::size_t end = bytes.size() - 24;
  for (const std::size_t cut :
       {24UL, 25UL, 47UL, 48UL, 56UL, 59UL, 60UL, 16'383UL, 16'384UL, end - 1, end, end + 1}) {
    SimPeer& client = connect();
    client.send(bytes.substr(0, cut));
    run_for(10ms);
    client.send(bytes.substr(cut));
    run_for(50ms);

    EXPECT_EQ(replies_of(client.received()).size(), 3U) << cut;
    EXPECT_TRUE(servers[0]->items().value("key") == value) << cut;
    servers[0]->items().set("key", "");
    client.close();
  }
}

TEST_F(BinaryFlowTest, AnEndOfFileInTheMiddleOfAValueDropsItAndLetsEarlierRepliesCome) {
  start(1);
  for (const std::size_t size : {100U, 100'000U}) {
    const std::string bytes = storing(Opcode::Set, "key", std::string(size, 'x')).bytes();
    SimPeer& client = connect();
    client.send(bytes_of(Opcode::GetK, "key", 1) + bytes.substr(0, bytes.size() - 1));
    client.finish_sending();
    run_for(50ms);

    EXPECT_EQ(replies_of(client.received()).size(), 1U) << size;
    EXPECT_TRUE(client.is_over());
  }
  EXPECT_EQ(servers[0]->count("ms"), 0U);
}

TEST_F(BinaryFlowTest, AllIsGivenBackWhenClientsHaveGone) {
  start(2);
  store(key_on(0), std::string(100'000, 'v'));
  for (int i = 0; i < 20; ++i) {
    SimPeer& client = connect();
    client.send(bytes_of(Opcode::GetK, key_on(0)) +
                storing(Opcode::Set, "a", std::string(50'000, 'x')).bytes().substr(0, 30'000));
    run_for(i % 3 * 1ms);
    client.close();
  }
  run_for(100ms);
  worker.reset();

  EXPECT_EQ(memory->used(), 0U);
}

}  // namespace
}  // namespace mcsteady::test
