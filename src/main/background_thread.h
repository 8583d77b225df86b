#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "mcsteady/proxy/background.h"

namespace mcsteady {

/// A thread that starts with its first work, and gives way to those that carry requests.
class BackgroundThread final : public proxy::Background {
 public:
  ~BackgroundThread() override { stop(); }

  bool submit(std::function<void()> work) override;
  /// Ends what is under way, and drops what waits. Nothing is taken from then on.
  void stop();

 private:
  static constexpr std::size_t kWaitingMax = 64;

  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace mcsteady
