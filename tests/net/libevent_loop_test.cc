#include "net/libevent_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "net/loop_fixture.h"
#include "net/recording_handler.h"

namespace mcsteady::net {
namespace {

using std::chrono::milliseconds;

struct Doing final : Task {
  explicit Doing(std::function<void()> what) : what_(std::move(what)) {}
  void run() override { what_(); }
  std::function<void()> what_;
};

class LibeventLoopTest : public LoopTest {};
FOR_EACH_METHOD(LibeventLoopTest);

TEST_P(LibeventLoopTest, WaitsWithTheMethodThatWasAskedFor) {
  EXPECT_EQ(loop_->method(), GetParam());
}

TEST_P(LibeventLoopTest, RunsTurnEndTasksUntilNoneIsLeft) {
  std::string log;
  Doing second([&] { log += 'b'; });
  Doing first([&] {
    log += 'a';
    loop_->at_turn_end(second);
  });
  loop_->at_turn_end(first);

  run_turn();

  EXPECT_EQ(log, "ab");
}

TEST_P(LibeventLoopTest, RunsATaskOfTheNextTurnWithoutWaiting) {
  int rounds = 0;
  Doing again([&] {
    if (++rounds == 3) {
      loop_->stop();
    } else {
      loop_->in_next_turn(again);
    }
  });
  loop_->in_next_turn(again);

  loop_->run();  // would wait for ever

  EXPECT_EQ(rounds, 3);
}

TEST_P(LibeventLoopTest, RunsATaskThatAsksForTheNextTurnOnceATurn) {
  int rounds = 0;
  Doing again([&] {
    ++rounds;
    loop_->in_next_turn(again);
  });
  loop_->in_next_turn(again);

  run_turn();

  EXPECT_EQ(rounds, 1);
}

TEST_P(LibeventLoopTest, DoesNotWaitBeforeTasksThatWereAskedForOutsideATurn) {
  Doing stop([&] { loop_->stop(); });
  loop_->at_turn_end(stop);

  loop_->run();  // would wait for ever
}

TEST_P(LibeventLoopTest, RunsWhatWasPostedBeforeItWasStopped) {
  std::string log;
  loop_->post([&] { log += 'a'; });
  loop_->post([&] { log += 'b'; });
  loop_->stop();

  loop_->run();

  EXPECT_EQ(log, "ab");
}

TEST_P(LibeventLoopTest, RunsWhatOtherThreadsPost) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  int count = 0;  // touched by the loop's thread only
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) {
        loop_->post([&] {
          if (++count == kThreads * kEach) loop_->stop();
        });
      }
    });
  }

  loop_->run();
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(count, kThreads * kEach);
}

TEST_P(LibeventLoopTest, RunsInALaterTurnWhatIsPostedByPostedWork) {
  std::string log;
  Doing turn_end([&] { log += '|'; });
  loop_->post([&] {
    log += 'a';
    loop_->at_turn_end(turn_end);
    loop_->post([&] {
      log += 'b';
      loop_->stop();
    });
  });

  loop_->run();

  EXPECT_EQ(log, "a|b");
}

TEST_P(LibeventLoopTest, FiresATimerOnTimeAndNeverEarly) {
  TimePoint due;
  TimePoint fired;
  const auto timer = loop_->make_timer([&](TimePoint set_for) {
    EXPECT_EQ(set_for, due);
    fired = loop_->now();
    loop_->stop();
  });
  for (int i = 0; i < 20; ++i) {
    due = loop_->now() + std::chrono::microseconds(700);
    timer->set(due);
    loop_->run();
    ASSERT_GE(fired, due);
  }
}

TEST_P(LibeventLoopTest, CountsATimersTimeFromWhenItIsSetAndNotFromTheTurnsStart) {
  TimePoint due;
  TimePoint fired;
  const auto timer = loop_->make_timer([&](TimePoint) {
    fired = loop_->now();
    loop_->stop();
  });
  loop_->post([&] {
    const TimePoint busy_until = loop_->now() + milliseconds(10);
    while (loop_->now() < busy_until) {
    }
    due = loop_->now() + milliseconds(5);
    timer->set(due);
  });

  loop_->run();

  EXPECT_GE(fired, due);
}

TEST_P(LibeventLoopTest, FiresATimerThatIsDueAlready) {
  const auto timer = loop_->make_timer([&](TimePoint) { loop_->stop(); });
  timer->set(loop_->now() - milliseconds(5));

  loop_->run();  // would wait for ever

  EXPECT_FALSE(timer->is_set());
}

TEST_P(LibeventLoopTest, FiresATimerThatWasSetEarlierWhileItWaitsForALaterOne) {
  const auto late = loop_->make_timer([](TimePoint) { FAIL() << "an hour is not over"; });
  const auto early = loop_->make_timer([&](TimePoint) { loop_->stop(); });
  late->set(loop_->now() + std::chrono::hours(1));
  run_turn();

  early->set(loop_->now() + milliseconds(1));
  loop_->run();

  EXPECT_TRUE(late->is_set());
}

TEST_P(LibeventLoopTest, RunsDueTimersBeforeTheBytesOfTheSameTurn) {
  Pair pair = socket_pair();
  RecordingHandler handler;
  std::vector<std::string> order;
  handler.in_callback = [&](const std::string& name) { order.push_back(name); };
  const auto stream = loop_->adopt(std::move(pair.ours), handler);
  const auto timer = loop_->make_timer([&](TimePoint) { order.emplace_back("timer"); });
  send(pair.theirs.get(), "x", 1, 0);
  timer->set(loop_->now());

  run_until([&] { return order.size() >= 3; });

  EXPECT_EQ(order, (std::vector<std::string>{"timer", "room", "received"}));
}

TEST_P(LibeventLoopTest, LetsBytesThroughWhileATimerIsAlwaysDue) {
  Pair pair = socket_pair();
  RecordingHandler handler;
  const auto stream = loop_->adopt(std::move(pair.ours), handler);
  std::unique_ptr<Timer> timer;
  timer = loop_->make_timer([&](TimePoint due) { timer->set(due); });
  timer->set(loop_->now());
  send(pair.theirs.get(), "x", 1, 0);

  run_until([&] { return handler.received == "x"; });
}

TEST(EventLoop, ChoosesAMethodByItself) {
  EXPECT_TRUE(make_event_loop("auto"));
}

TEST(EventLoop, SaysWhichMethodsThereAre) {
  const auto loop = make_event_loop("kqueue");

  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error(), "'kqueue' is no way to wait for events: use auto, epoll, poll or select");
}

}  // namespace
}  // namespace mcsteady::net
