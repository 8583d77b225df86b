#include "main/background_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace mcsteady {

namespace {
constexpr int kNice = 10;
}

bool BackgroundThread::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || waiting_.size() >= kWaitingMax) return false;
    waiting_.push_back(std::move(work));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
  return true;
}

void BackgroundThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  waiting_.clear();
}

void BackgroundThread::run() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);  // on Linux: of this thread
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
      if (stopped_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace mcsteady
