#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "support/memory_stream.h"
#include "upstream/manual_timers.h"

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

  // The test's hand.
  /// Time passes, and each timer that becomes due fires on time.
  void advance(Duration by) {
    const TimePoint until = now() + by;
    while (timers_.fire_first(until)) end_turn();
    timers_.pass(until - now());
  }
  /// Time passes while nobody looks; what became due fires at the end of it.
  void stall(Duration by) {
    timers_.pass(by);
    const TimePoint until = now();
    while (timers_.fire_first(until)) {
    }
    end_turn();
  }
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
  std::size_t timers_set() const { return timers_.armed(); }

  // net::EventLoop
  TimePoint now() const override { return timers_.now(); }
  std::unique_ptr<net::Timer> make_timer(net::TimerCallback callback) override {
    return timers_.make(std::move(callback));
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

  ManualTimers timers_;
  std::vector<std::unique_ptr<Dialed>> dialed_;
  net::TaskList turn_end_;
};

}  // namespace mcsteady::upstream
