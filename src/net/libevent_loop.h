#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "net/handles.h"
#include "net/lingering_sockets.h"
#include "net/reactor.h"
#include "net/socket_calls.h"
#include "net/timer_queue.h"

namespace mcsteady::net {

/// The loop over libevent, which is used for readiness alone. Its timers are not: they start from a
/// cached or a coarse clock, or cost a timerfd_settime a turn. Ours wait in a TimerQueue behind one
/// timerfd on the clock that now() reads, which is armed again only when an earlier time turns up:
/// precise on every method, and without a clock or system call for each turn or timer.
///
/// Timers that are due run before the bytes of the same turn, on every method: their lateness is
/// then the loop's, not that of what happened to run before them. Who is told that a time has
/// passed and wants to know what came meanwhile looks at the stream (Stream::look).
class LibeventLoop final : public EventLoop {
 public:
  static Result<std::unique_ptr<LibeventLoop>, std::string> make(const std::string& method,
                                                                 const SocketCalls& calls = {});
  ~LibeventLoop() override;

  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  std::unique_ptr<Timer> make_timer(TimerCallback callback) override;
  std::unique_ptr<Stream> connect(const Address& to, Stream::Handler& handler) override;
  Result<std::unique_ptr<Listener>, std::string> listen(const ListenOptions& options,
                                                        Listener::Handler& handler) override;
  std::unique_ptr<Watch> watch(int fd, Ready wanted, ReadyCallback on_ready) override;
  void at_turn_end(Task& task) override { turn_end_.add(task); }
  void in_next_turn(Task& task) override { next_turn_.add(task); }
  void post(std::function<void()> work) override;
  void run() override;
  void stop() override;

  /// libevent's name of what it waits with.
  std::string method() const;
  /// The stream of a connected socket, which it takes over. For tests with socket pairs.
  std::unique_ptr<Stream> adopt(UniqueFd socket, Stream::Handler& handler);

 private:
  LibeventLoop(EventBasePtr base, UniqueFd wake, UniqueFd alarm, const SocketCalls& calls);
  bool add_own_events();
  void turn();
  void run_quiet();
  void arm_alarm(std::optional<TimePoint> at);
  void on_alarm();
  void on_wake();

  const SocketCalls calls_;
  EventBasePtr base_;
  TaskList turn_end_;
  TaskList next_turn_;
  TaskList this_turn_;
  TaskList quiet_;
  int busy_turns_ = 0;       // in a row that what waits in quiet_ has let pass
  bool bytes_came_ = false;  // in this turn
  TimerQueue timers_{*this};
  LingeringSockets lingering_{base_.get()};
  Reactor reactor_;

  UniqueFd alarm_;  // a timerfd
  EventPtr alarm_event_;
  std::optional<TimePoint> alarm_at_;

  UniqueFd wake_;  // an eventfd: something was posted
  EventPtr wake_event_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // under mutex_
  bool stopped_ = false;
};

}  // namespace mcsteady::net
