#include "net/timer_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/fake_clock.h"

namespace mcsteady::net {
namespace {

using std::chrono::milliseconds;

class TimerQueueTest : public testing::Test {
 protected:
  TimePoint in(int ms) const { return clock_.now() + milliseconds(ms); }
  std::unique_ptr<Timer> noting(char name) {
    return queue_.make_timer([this, name](TimePoint due) {
      log_ += name;
      dues_.push_back(due);
    });
  }
  void run_at(TimePoint at) {
    clock_.set(at);
    queue_.run_due();
  }

  test::FakeClock clock_;
  TimerQueue queue_{clock_};
  std::string log_;
  std::vector<TimePoint> dues_;
};

TEST_F(TimerQueueTest, NeverFiresEarly) {
  const auto timer = noting('a');
  const TimePoint due = in(10);
  timer->set(due);

  run_at(due - Duration(1));
  EXPECT_EQ(log_, "");
  run_at(due);
  EXPECT_EQ(log_, "a");
}

TEST_F(TimerQueueTest, TellsForWhenTheTimerHadBeenSet) {
  const auto timer = noting('a');
  const TimePoint due = in(10);
  timer->set(due);

  run_at(due + milliseconds(500));

  EXPECT_EQ(dues_, std::vector{due});
}

TEST_F(TimerQueueTest, FiresOnceAndIsNoLongerSet) {
  const auto timer = noting('a');
  timer->set(in(10));

  run_at(in(10));
  run_at(in(20));

  EXPECT_EQ(log_, "a");
  EXPECT_FALSE(timer->is_set());
  EXPECT_FALSE(queue_.earliest());
}

TEST_F(TimerQueueTest, FiresInTheOrderOfDueTimes) {
  const auto a = noting('a');
  const auto b = noting('b');
  const auto c = noting('c');
  a->set(in(30));
  b->set(in(10));
  c->set(in(20));

  run_at(in(30));

  EXPECT_EQ(log_, "bca");
}

TEST_F(TimerQueueTest, FiresAtTheLaterTimeItWasSetTo) {
  const auto timer = noting('a');
  const TimePoint later = in(30);
  timer->set(in(10));
  timer->set(later);

  run_at(later - Duration(1));
  EXPECT_EQ(log_, "");
  run_at(later);
  EXPECT_EQ(log_, "a");
}

TEST_F(TimerQueueTest, FiresAtTheEarlierTimeItWasSetTo) {
  const auto timer = noting('a');
  const TimePoint earlier = in(10);
  timer->set(in(30));
  timer->set(earlier);

  EXPECT_EQ(queue_.earliest(), earlier);
  run_at(earlier);
  EXPECT_EQ(log_, "a");
}

TEST_F(TimerQueueTest, WakesNoSoonerForATimerThatIsSetAgainAndAgain) {
  const auto timer = noting('a');
  const TimePoint first = in(100);
  timer->set(first);

  for (int i = 0; i < 50; ++i) {
    clock_.advance(milliseconds(1));
    timer->set(in(100));
    ASSERT_EQ(queue_.earliest(), first);
  }
  const TimePoint last = in(100);
  run_at(first);
  EXPECT_EQ(log_, "");
  EXPECT_EQ(queue_.earliest(), last);
}

TEST_F(TimerQueueTest, DoesNotFireWhatWasCleared) {
  const auto timer = noting('a');
  timer->set(in(10));
  timer->clear();
  EXPECT_FALSE(timer->is_set());

  run_at(in(10));

  EXPECT_EQ(log_, "");
  EXPECT_FALSE(queue_.earliest());
}

TEST_F(TimerQueueTest, FiresWhatWasClearedAndSetAgain) {
  const auto timer = noting('a');
  const TimePoint due = in(20);
  timer->set(in(10));
  timer->clear();
  timer->set(due);

  run_at(due);

  EXPECT_EQ(log_, "a");
}

TEST_F(TimerQueueTest, ForgetsADestroyedTimer) {
  auto timer = noting('a');
  timer->set(in(10));
  timer.reset();

  run_at(in(10));

  EXPECT_EQ(log_, "");
}

TEST_F(TimerQueueTest, MayBeSetInItsOwnCallback) {
  std::unique_ptr<Timer> timer;
  timer = queue_.make_timer([&](TimePoint due) {
    log_ += 'a';
    timer->set(due + milliseconds(10));
  });
  timer->set(in(10));

  run_at(in(10));
  EXPECT_TRUE(timer->is_set());
  run_at(in(10));

  EXPECT_EQ(log_, "aa");
}

TEST_F(TimerQueueTest, MayBeDestroyedInItsOwnCallback) {
  std::unique_ptr<Timer> timer;
  timer = queue_.make_timer([this, &timer](TimePoint) {
    timer.reset();
    log_ += 'a';  // what the callback captured is still there
  });
  timer->set(in(10));

  run_at(in(10));

  EXPECT_EQ(log_, "a");
}

TEST_F(TimerQueueTest, MayDestroyAnotherThatIsDueToo) {
  auto other = noting('b');
  const auto timer = queue_.make_timer([&](TimePoint) { other.reset(); });
  timer->set(in(10));
  other->set(in(11));

  run_at(in(20));

  EXPECT_EQ(log_, "");
}

TEST_F(TimerQueueTest, DoesNotSpinOnATimerThatIsAlwaysDue) {
  std::unique_ptr<Timer> timer;
  timer = queue_.make_timer([&](TimePoint due) {
    log_ += 'a';
    timer->set(due);
  });
  timer->set(in(10));

  run_at(in(10));

  EXPECT_EQ(log_, "a");
}

}  // namespace
}  // namespace mcsteady::net
