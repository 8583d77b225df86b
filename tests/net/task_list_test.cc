#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "mcsteady/net/event_loop.h"

namespace mcsteady::net {
namespace {

class Noting final : public Task {
 public:
  Noting(std::string& log, char name) : log_(log), name_(name) {}
  void run() override { log_ += name_; }

 private:
  std::string& log_;
  char name_;
};

void run_all(TaskList& list) {
  while (Task* task = list.take_first()) task->run();
}

class TaskListTest : public testing::Test {
 protected:
  std::string log_;
  Noting a_{log_, 'a'}, b_{log_, 'b'}, c_{log_, 'c'};
  TaskList list_;
};

TEST_F(TaskListTest, GivesBackFirstWhatWasAddedFirst) {
  list_.add(b_);
  list_.add(a_);
  list_.add(c_);

  run_all(list_);

  EXPECT_EQ(log_, "bac");
  EXPECT_TRUE(list_.empty());
}

TEST_F(TaskListTest, HoldsATaskOnce) {
  list_.add(a_);
  list_.add(b_);
  list_.add(a_);

  run_all(list_);

  EXPECT_EQ(log_, "ab");
}

TEST_F(TaskListTest, TakesATaskAgainOnceItHasRun) {
  list_.add(a_);
  run_all(list_);
  EXPECT_FALSE(a_.is_queued());
  list_.add(a_);
  run_all(list_);

  EXPECT_EQ(log_, "aa");
}

TEST_F(TaskListTest, ForgetsADestroyedTask) {
  auto gone = std::make_unique<Noting>(log_, 'x');
  list_.add(a_);
  list_.add(*gone);
  list_.add(b_);
  gone.reset();

  run_all(list_);

  EXPECT_EQ(log_, "ab");
}

TEST_F(TaskListTest, MovesAllOfAnotherBehindItsOwn) {
  TaskList other;
  other.add(a_);
  other.add(b_);
  list_.add(c_);

  list_.take_all(other);
  run_all(list_);

  EXPECT_EQ(log_, "cab");
  EXPECT_TRUE(other.empty());
}

TEST_F(TaskListTest, LetsGoOfItsTasksWhenItEnds) {
  {
    TaskList other;
    other.add(a_);
  }
  EXPECT_FALSE(a_.is_queued());
}

}  // namespace
}  // namespace mcsteady::net
