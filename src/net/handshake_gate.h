#pragma once

#include "mcsteady/net/event_loop.h"

namespace mcsteady::net {

/// Lets a bounded number of handshakes go on in each turn of a loop, in the order in which they
/// came; the others have later turns. Thread: its loop's.
class HandshakeGate final : private Task {
 public:
  HandshakeGate(EventLoop& loop, int per_turn) : loop_(loop), per_turn_(per_turn) {}

  /// Runs `step` in one of the next turns.
  void enter(Task& step) {
    waiting_.add(step);
    loop_.in_next_turn(*this);
  }

 private:
  void run() override {
    for (int i = 0; i < per_turn_; ++i) {
      Task* const step = waiting_.take_first();
      if (step == nullptr) return;
      step->run();
    }
    if (!waiting_.empty()) loop_.in_next_turn(*this);
  }

  EventLoop& loop_;
  const int per_turn_;
  TaskList waiting_;
};

}  // namespace mcsteady::net
