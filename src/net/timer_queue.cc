#include "net/timer_queue.h"

#include <algorithm>
#include <utility>

namespace mcsteady::net {

class TimerQueue::Entry final : public Timer {
 public:
  Entry(TimerQueue& owner, TimerCallback callback) : owner_(owner), callback_(std::move(callback)) {
    // The queue's node is made here and kept, so that set() never reaches the heap.
    idle_node_ = owner_.queue_.extract(owner_.queue_.emplace(TimePoint::max(), this));
  }
  ~Entry() override {
    leave_queue();
    if (destroyed_ != nullptr) *destroyed_ = true;
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  void set(TimePoint due) override {
    due_ = due;
    const bool queued = idle_node_.empty();
    if (queued && place_->first <= due) return;
    leave_queue();
    if (owner_.running_) due = std::max(due, *owner_.running_ + Duration(1));
    idle_node_.key() = due;
    place_ = owner_.queue_.insert(std::move(idle_node_));
  }
  void clear() override { due_.reset(); }
  bool is_set() const override { return due_.has_value(); }

  /// Its time in the queue has come.
  void wake(TimePoint now) {
    leave_queue();
    if (!due_) return;
    if (*due_ > now) {
      set(*due_);
      return;
    }
    const TimePoint due = *std::exchange(due_, std::nullopt);
    // Moved out for the call: a callback that destroys its timer would destroy itself.
    TimerCallback callback = std::move(callback_);
    bool destroyed = false;
    destroyed_ = &destroyed;
    callback(due);
    if (destroyed) return;
    destroyed_ = nullptr;
    callback_ = std::move(callback);
  }

 private:
  void leave_queue() {
    if (idle_node_.empty()) idle_node_ = owner_.queue_.extract(place_);
  }

  TimerQueue& owner_;
  TimerCallback callback_;
  std::optional<TimePoint> due_;
  Queue::node_type idle_node_;  // empty while it is in the queue, at place_
  Queue::iterator place_;
  bool* destroyed_ = nullptr;
};

std::unique_ptr<Timer> TimerQueue::make_timer(TimerCallback callback) {
  return std::make_unique<Entry>(*this, std::move(callback));
}

std::optional<TimePoint> TimerQueue::earliest() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

void TimerQueue::run_due() {
  if (queue_.empty()) return;
  const TimePoint now = clock_.now();
  running_ = now;
  while (!queue_.empty() && queue_.begin()->first <= now) queue_.begin()->second->wake(now);
  running_.reset();
}

}  // namespace mcsteady::net
