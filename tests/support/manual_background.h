#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "mcsteady/proxy/background.h"

namespace mcsteady::test {

/// Work that waits until the test has it done.
class ManualBackground final : public proxy::Background {
 public:
  bool submit(std::function<void()> work) override {
    if (full) return false;
    waiting_.push_back(std::move(work));
    return true;
  }
  std::size_t waiting() const { return waiting_.size(); }
  void run_one() {
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    work();
  }
  bool full = false;

 private:
  std::deque<std::function<void()>> waiting_;
};

}  // namespace mcsteady::test
