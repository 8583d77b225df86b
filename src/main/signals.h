#pragma once

#include <optional>

#include "mcsteady/base/clock.h"

namespace mcsteady {

/// The signals that the main thread waits for, blocked in every thread. Made before any thread.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  enum class Event { Stop, Reopen, Timeout };
  /// Waits for SIGTERM or SIGINT (Stop), SIGHUP (Reopen), or the time to be over.
  Event wait(Duration at_most);

 private:
  int signal_fd_ = -1;
};

}  // namespace mcsteady
