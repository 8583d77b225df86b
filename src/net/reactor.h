#pragma once

#include <event2/event.h>

#include "mcsteady/net/event_loop.h"
#include "net/socket_calls.h"
#include "net/timer_queue.h"

namespace mcsteady::net {

/// What a stream or a listener needs of the loop that made it. Outlives them.
struct Reactor {
  event_base* base;
  TaskList& turn_end;
  TaskList& next_turn;
  TimerQueue& timers;
  const Clock& clock;
  const SocketCalls& calls;
};

}  // namespace mcsteady::net
