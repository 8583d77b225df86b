#include "mcsteady/proxy/memory_relief.h"

#include <gtest/gtest.h>

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

struct Holder final : proxy::MemoryRelief::Member {
  std::size_t holding = 0;
  int closed = 0;
  std::size_t largest_holding() const override { return holding; }
  void close_largest_of_all() override {
    holding = 0;
    ++closed;
  }
};

class MemoryReliefTest : public testing::Test {
 protected:
  MemoryReliefTest() {
    relief.join(loops[0], members[0]);
    relief.join(loops[1], members[1]);
    relief.join(loops[2], members[2]);
  }
  void ask(std::size_t member) {
    relief.ask(members[member], loops[member].now());
    loops[0].run_for(1ms);
  }
  std::vector<int> closed() const {
    return {members[0].closed, members[1].closed, members[2].closed};
  }

  SimNetwork network{1};
  SimLoop loops[3]{SimLoop{network}, SimLoop{network}, SimLoop{network}};
  Holder members[3];
  proxy::MemoryRelief relief;
};

TEST_F(MemoryReliefTest, ClosesTheLargestWhicheverWorkerHasIt) {
  members[0].holding = 1000;
  members[1].holding = 3000;
  members[2].holding = 2000;

  ask(0);
  EXPECT_EQ(closed(), (std::vector{0, 1, 0}));

  ask(0);
  EXPECT_EQ(closed(), (std::vector{0, 1, 1}));
}

TEST_F(MemoryReliefTest, LeavesTheLargestOfTheOneThatAsksToItself) {
  members[0].holding = 3000;
  members[1].holding = 2000;

  ask(0);

  EXPECT_EQ(closed(), (std::vector{0, 0, 0}));
}

TEST_F(MemoryReliefTest, FindsNobodyWhereNoneIsWorthClosing) {
  ask(0);

  EXPECT_EQ(closed(), (std::vector{0, 0, 0}));
}

TEST_F(MemoryReliefTest, DoesNotLookAgainAtOnceWhereItFoundNobody) {
  ask(0);
  members[1].holding = 1000;
  ask(0);
  EXPECT_EQ(members[1].closed, 0);

  loops[0].run_for(10ms);
  ask(0);

  EXPECT_EQ(members[1].closed, 1);
}

TEST_F(MemoryReliefTest, WaitsForAWorkerThatIsBusyAndBeginsNoOtherRound) {
  members[1].holding = 1000;
  members[2].holding = 2000;
  relief.ask(members[0], loops[0].now());

  loops[1].stall(50ms);
  for (int i = 0; i < 10; ++i) relief.ask(members[0], loops[0].now());
  EXPECT_EQ(closed(), (std::vector{0, 0, 0}));
  loops[0].run_for(60ms);

  EXPECT_EQ(closed(), (std::vector{0, 0, 1}));
}

// ---- with workers

class TwoWorkersTest : public WorkerTest {
 protected:
  ~TwoWorkersTest() override {
    far_.reset();
    second.reset();
  }
  void start_two() {
    start(1);
    options.listeners[0].socket.endpoint.host = "127.0.0.2";
    second = std::make_unique<proxy::Worker>(options, second_loop, *shared);
    ASSERT_TRUE(second->listen(0, 1));
  }
  SimPeer& connect_to_second() {
    const net::Endpoint at{.host = "127.0.0.2", .port = 11211, .unix_path = {}};
    far_ = std::make_unique<SimPeer>(client_side, *net::numeric_address(at));
    run_for(1ms);
    return *far_;
  }

  SimLoop second_loop{network};
  std::unique_ptr<proxy::Worker> second;

 private:
  std::unique_ptr<SimPeer> far_;
};

TEST_F(TwoWorkersTest, TheLargestHolderOfBothGoesWhoeverNeedsMemory) {
  ceiling = MiB(8);
  options.client.output_high_water = MiB(16);
  start_two();
  store("a", std::string(300'000, 'v'));
  SimPeer& smaller = connect();
  SimPeer& largest = connect_to_second();
  for (SimPeer* client : {&smaller, &largest}) client->set_receiving(false);
  for (int i = 0; i < 14; ++i) ask(largest, "get a\r\n", 20ms);

  for (int i = 0; i < 12; ++i) ask(smaller, "get a\r\n", 20ms);

  for (SimPeer* client : {&smaller, &largest}) client->set_receiving(true);
  run_for(500ms);
  EXPECT_TRUE(largest.is_over());
  EXPECT_EQ(smaller.received(), repeated(item("a", std::string(300'000, 'v')) + "END\r\n", 12));
  EXPECT_EQ(closed("no_memory"), 1U);
  EXPECT_LE(memory->peak(), ceiling.value + KiB(100).value);
}

}  // namespace
}  // namespace mcsteady::test
