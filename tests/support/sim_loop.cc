#include "support/sim_loop.h"

#include <algorithm>
#include <cassert>

#include "support/sim_listener.h"
#include "support/sim_stream.h"

namespace mcsteady::test {

class SimTimer final : public net::Timer {
 public:
  SimTimer(SimLoop& loop, net::TimerCallback callback)
      : loop_(loop), callback_(std::move(callback)) {}
  ~SimTimer() override { clear(); }

  void set(TimePoint due) override {
    clear();
    key_ = {due, ++loop_.timers_set_};
    loop_.timers_.emplace(*key_, this);
  }
  void clear() override {
    if (key_) loop_.timers_.erase(*key_);
    key_.reset();
  }
  bool is_set() const override { return key_.has_value(); }

  void fire() {
    const TimePoint due = key_->first;
    clear();
    const net::TimerCallback callback = callback_;  // the timer may be destroyed by it
    callback(due);
  }

 private:
  SimLoop& loop_;
  net::TimerCallback callback_;
  std::optional<SimLoop::TimerKey> key_;
};

SimLoop::SimLoop(SimNetwork& network, const LoopConditions& conditions)
    : network_(network), conditions_(conditions), rng_(network.rng().fork()) {
  network_.add(*this);
}

SimLoop::~SimLoop() {
  assert(streams_.empty() && listeners_.empty() && timers_.empty() &&
         "streams, listeners and timers are outlived by their loop");
  network_.remove(*this);
}

std::unique_ptr<net::Timer> SimLoop::make_timer(net::TimerCallback callback) {
  return std::make_unique<SimTimer>(*this, std::move(callback));
}

std::unique_ptr<net::Stream> SimLoop::connect(const net::Address& to,
                                              net::Stream::Handler& handler) {
  return std::make_unique<SimStream>(*this, network_.connect(to), Side::Client, handler);
}

Result<std::unique_ptr<net::Listener>, std::string> SimLoop::listen(
    const net::ListenOptions& options, net::Listener::Handler& handler) {
  auto listener = std::make_unique<SimListener>(*this, options, handler);
  auto bound = network_.bind(options, *listener);
  if (!bound) return Unexpected{std::move(bound).error()};
  listener->set_endpoint(*std::move(bound));
  return std::unique_ptr<net::Listener>(std::move(listener));
}

void SimLoop::run() {
  stopped_ = false;
  network_.run_until(TimePoint::max(), [this] { return stopped_; });
  run_posted();  // what was posted before stop()
}

void SimLoop::run_for(Duration duration) {
  network_.run_until(now() + duration, [] { return false; });
}

bool SimLoop::run_until(const std::function<bool()>& condition, Duration limit) {
  return network_.run_until(now() + limit, condition);
}

void SimLoop::stall(Duration duration) {
  const bool was_in_turn = std::exchange(in_turn_, true);
  run_for(duration);
  in_turn_ = was_in_turn;
}

bool SimLoop::has_work() const {
  if (!posted_.empty() || !next_turn_.empty() || !turn_end_.empty()) return true;
  if (!timers_.empty() && timers_.begin()->first.first <= now()) return true;
  const auto is_ready = [](const auto* source) { return source->is_ready(); };
  return std::ranges::any_of(streams_, is_ready) || std::ranges::any_of(listeners_, is_ready);
}

bool SimLoop::turn_is_due() {
  if (!wakes_at_) {
    if (!has_work()) return false;
    wakes_at_ = now() + rng_.between(Duration{0}, conditions_.wake_delay_max);
  }
  return *wakes_at_ <= now();
}

std::optional<TimePoint> SimLoop::next_turn_at(bool with_timers) const {
  if (wakes_at_) return wakes_at_;
  if (with_timers && !timers_.empty()) return timers_.begin()->first.first;
  return std::nullopt;
}

void SimLoop::run_turn() {
  in_turn_ = true;
  ++turns_;
  wakes_at_.reset();
  poll();
  run_posted();
  net::TaskList tasks;
  tasks.take_all(next_turn_);
  while (net::Task* task = tasks.take_first()) task->run();
  const bool timers_first = rng_.chance(conditions_.timers_first);
  if (timers_first) run_timers();
  run_ready();
  if (!timers_first) run_timers();
  while (net::Task* task = turn_end_.take_first()) task->run();
  in_turn_ = false;
}

void SimLoop::poll() {
  ready_.clear();
  for (SimStream* stream : streams_) {
    const bool spurious = stream->can_receive() && rng_.chance(conditions_.spurious_ready);
    if (stream->is_ready() || spurious) ready_.push_back(stream);
  }
  rng_.shuffle(ready_);
}

void SimLoop::run_posted() {
  for (const auto& work : std::exchange(posted_, {})) work();
}

void SimLoop::run_timers() {
  std::vector<TimerKey> due;
  for (auto timer = timers_.begin(); timer != timers_.end() && timer->first.first <= now();
       ++timer) {
    due.push_back(timer->first);
  }
  for (const TimerKey& key : due) {
    const auto timer = timers_.find(key);  // an earlier callback may have cleared it
    if (timer != timers_.end()) timer->second->fire();
  }
}

void SimLoop::run_ready() {
  const std::vector<SimListener*> listeners = listeners_;
  for (SimListener* listener : listeners) {
    const bool alive = std::ranges::find(listeners_, listener) != listeners_.end();
    if (alive && listener->is_ready()) listener->run_ready();
  }
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (ready_[i] != nullptr) ready_[i]->run_ready();
  }
  ready_.clear();
}

}  // namespace mcsteady::test
