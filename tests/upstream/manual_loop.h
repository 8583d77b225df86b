#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "support/fake_clock.h"
#include "support/memory_stream.h"

namespace mcsteady::upstream {

/// A loop whose every step a test takes itself: when time passes, whether anybody looks meanwhile,
/// when a connection is there, when a turn ends. What is connected are MemoryStreams, which stay
/// here for the test to look at after their owners have gone. Thread: one.
class ManualLoop final : public net::EventLoop {
 public:
  /// One call of connect().
  struct Dialed {
    Dialed(const net::Address& address, net::Stream::Handler& owner)
        : to(address), handler(owner), memory(owner) {}
    /// The connection is there, and the loop says so.
    void connects() {
      connected = true;
      memory.connects();
    }
    void refuses() {
      memory.close();
      handler.on_broken({net::StreamError::Refused, 111});
    }
    const net::Address to;
    net::Stream::Handler& handler;
    test::MemoryStream memory;
    std::size_t takes_max = SIZE_MAX;  // bytes it takes of us in a turn
    bool connected = false;
    bool connected_unseen = false;  // it is there, but the loop has not said so yet
  };

  ~ManualLoop() override { assert(timers_.empty() && "timers do not outlive their loop"); }

  // The test's hand.
  /// Time passes, and each timer that becomes due fires on time.
  void advance(Duration by) {
    const TimePoint until = now() + by;
    while (ManualTimer* timer = first_due(until)) {
      clock_.set(std::max(now(), timer->due));
      timer->fire();
      end_turn();
    }
    clock_.set(until);
  }
  /// Time passes while nobody looks; what became due fires at the end of it.
  void stall(Duration by) {
    clock_.advance(by);
    const TimePoint until = now();
    while (ManualTimer* timer = first_due(until)) timer->fire();
    end_turn();
  }
  /// Time passes, and no timer has fired yet.
  void pass(Duration by) { clock_.advance(by); }
  void end_turn() {
    for (std::size_t i = 0; i < dialed_.size(); ++i) {
      if (dialed_[i]->connected) dialed_[i]->memory.send_flushed(dialed_[i]->takes_max);
    }
    run_tasks();
  }
  void run_tasks() {
    while (net::Task* task = turn_end_.take_first()) task->run();
  }
  Dialed& dialed(std::size_t i) { return *dialed_.at(i); }
  std::size_t dials() const { return dialed_.size(); }
  std::size_t timers_set() const {
    return static_cast<std::size_t>(std::ranges::count_if(timers_, &ManualTimer::is_set));
  }

  // net::EventLoop
  TimePoint now() const override { return clock_.now(); }
  std::unique_ptr<net::Timer> make_timer(net::TimerCallback callback) override {
    return std::make_unique<ManualTimer>(*this, std::move(callback));
  }
  std::unique_ptr<net::Stream> connect(const net::Address& to,
                                       net::Stream::Handler& handler) override {
    dialed_.push_back(std::make_unique<Dialed>(to, handler));
    return std::make_unique<Line>(*dialed_.back());
  }
  Result<std::unique_ptr<net::Listener>, std::string> listen(const net::ListenOptions&,
                                                             net::Listener::Handler&) override {
    return Unexpected<std::string>{"nobody listens here"};
  }
  void at_turn_end(net::Task& task) override { turn_end_.add(task); }
  void in_next_turn(net::Task& task) override { turn_end_.add(task); }
  void post(std::function<void()> work) override { work(); }
  void run() override {}
  void stop() override {}

 private:
  struct ManualTimer final : net::Timer {
    ManualTimer(ManualLoop& owner, net::TimerCallback what)
        : loop(owner), callback(std::move(what)) {
      loop.timers_.push_back(this);
    }
    ~ManualTimer() override { std::erase(loop.timers_, this); }
    void set(TimePoint at) override {
      due = at;
      armed = true;
    }
    void clear() override { armed = false; }
    bool is_set() const override { return armed; }
    void fire() {
      armed = false;
      callback(due);
    }
    ManualLoop& loop;
    net::TimerCallback callback;
    TimePoint due{};
    bool armed = false;
  };

  /// What the owner of a connection holds of it.
  class Line final : public net::Stream {
   public:
    explicit Line(Dialed& dialed) : dialed_(dialed) {}
    ~Line() override { dialed_.memory.close(); }
    void set_receiving(bool on) override { dialed_.memory.set_receiving(on); }
    void flush() override { dialed_.memory.flush(); }
    Found look() override {
      if (!dialed_.connected) {
        if (!dialed_.connected_unseen) return Found::Nothing;
        dialed_.connects();
      }
      return dialed_.memory.look();
    }
    net::TransportEvidence evidence() const override { return dialed_.memory.evidence(); }
    void close() override { dialed_.memory.close(); }

   private:
    Dialed& dialed_;
  };

  ManualTimer* first_due(TimePoint until) const {
    ManualTimer* first = nullptr;
    for (ManualTimer* timer : timers_) {
      if (timer->armed && timer->due <= until && (first == nullptr || timer->due < first->due)) {
        first = timer;
      }
    }
    return first;
  }

  test::FakeClock clock_;
  std::vector<std::unique_ptr<Dialed>> dialed_;
  std::vector<ManualTimer*> timers_;
  net::TaskList turn_end_;
};

}  // namespace mcsteady::upstream
