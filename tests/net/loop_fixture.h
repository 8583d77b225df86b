#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cassert>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "net/counted_calls.h"
#include "net/libevent_loop.h"

namespace mcsteady::net {

/// A loop of each method over the kernel's sockets, run by the turn or until something has come
/// about. No test waits for time to pass unless time is its subject.
class LoopTest : public testing::TestWithParam<const char*> {
 protected:
  LoopTest() {
    CountedCalls::reset();
    loop_ = LibeventLoop::make(GetParam(), CountedCalls::calls()).value();
  }
  ~LoopTest() override { CountedCalls::reset(); }

  void run_turn() {
    loop_->stop();
    loop_->run();
  }

  /// Turns that wait for nothing, until `done` holds.
  void run_until(const std::function<bool()>& done) {
    const TimePoint hopeless = loop_->now() + std::chrono::seconds(20);
    while (!done()) {
      run_turn();
      ASSERT_LT(loop_->now(), hopeless) << "nothing came about";
    }
  }

  struct Pair {
    UniqueFd ours;  // non-blocking
    UniqueFd theirs;
  };
  static Pair socket_pair() {
    int fds[2] = {-1, -1};
    const int result = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
    assert(result == 0);
    static_cast<void>(result);
    fcntl(fds[0], F_SETFL, O_NONBLOCK);
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
  }

  std::unique_ptr<LibeventLoop> loop_;
};

#define FOR_EACH_METHOD(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(Methods, suite, testing::Values("epoll", "poll", "select"), \
                           [](const auto& instance) { return std::string(instance.param); })

}  // namespace mcsteady::net
