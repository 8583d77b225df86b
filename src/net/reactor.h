#pragma once

#include <event2/event.h>

#include "mcsteady/net/event_loop.h"
#include "net/lingering_sockets.h"
#include "net/socket_calls.h"
#include "net/timer_queue.h"

namespace mcsteady::net {

/// What a stream or a listener needs of the loop that made it. Outlives them.
struct Reactor {
  event_base* base;
  TaskList& turn_end;
  TaskList& next_turn;
  TaskList&
      quiet;  // for the end of a turn in which no bytes came, or of the eighth that brings some
  bool& bytes_came;  // in this turn
  TimerQueue& timers;
  LingeringSockets& lingering;
  const Clock& clock;
  const SocketCalls& calls;
};

}  // namespace mcsteady::net
