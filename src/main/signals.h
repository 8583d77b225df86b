#pragma once

#include <functional>
#include <memory>

#include "mcsteady/net/event_loop.h"

namespace mcsteady {

/// The signals that a daemon is told things by, taken on the main thread's loop. The first thing
/// that main makes: threads inherit the signal mask, and no other thread must be interrupted.
class Signals {
 public:
  enum class Event { Stop, Reopen };  // SIGTERM and SIGINT; SIGHUP

  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// From here on tells of them in turns of `loop`, which outlives this.
  void start(net::EventLoop& loop, std::function<void(Event)> on_signal);

 private:
  void read_one();

  int signal_fd_ = -1;
  std::function<void(Event)> on_signal_;
  std::unique_ptr<net::Watch> watch_;
};

}  // namespace mcsteady
