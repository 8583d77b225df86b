#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mcsteady/base/clock.h"
#include "mcsteady/base/result.h"
#include "mcsteady/net/address.h"
#include "mcsteady/net/peer.h"
#include "mcsteady/net/stream.h"

namespace mcsteady::net {

/// A one-shot alarm on the loop's monotonic clock. Destroying it disarms it; that, and set(), are
/// allowed in its own callback. Thread: its loop's only.
class Timer {
 public:
  virtual ~Timer() = default;
  virtual void set(TimePoint due) = 0;  // replaces an earlier due time
  virtual void clear() = 0;
  virtual bool is_set() const = 0;
};

/// Called with the time for which the timer had been set: now() - due is how late the loop is.
/// A std::function is fine here: timers are made once a connection, and fire when nothing happens.
using TimerCallback = std::function<void(TimePoint due)>;

/// Something to do once when this turn of the loop ends, or in the next one. Intrusive, so that
/// asking costs nothing; an object that waits in both lists needs two. Destroying it takes it off.
class Task {
 public:
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  virtual ~Task() { unlink(); }
  virtual void run() = 0;
  bool is_queued() const { return next_ != nullptr; }
  void cancel() { unlink(); }

 private:
  friend class TaskList;
  void unlink() {
    if (next_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }
  Task* next_ = nullptr;
  Task* previous_ = nullptr;
};

/// First in, first out; what loops keep tasks in.
class TaskList {
 public:
  TaskList() { head_.next_ = head_.previous_ = &head_; }
  ~TaskList() {
    while (take_first() != nullptr) {
    }
    head_.next_ = head_.previous_ = nullptr;
  }
  bool empty() const { return head_.next_ == &head_; }
  void add(Task& task) {  // no effect on one that is queued
    if (task.is_queued()) return;
    task.previous_ = head_.previous_;
    task.next_ = &head_;
    head_.previous_->next_ = &task;
    head_.previous_ = &task;
  }
  Task* take_first() {
    if (empty()) return nullptr;
    Task* first = head_.next_;
    first->unlink();
    return first;
  }
  /// Moves everything that `other` holds behind what is here.
  void take_all(TaskList& other) {
    while (Task* task = other.take_first()) add(*task);
  }

 private:
  struct Head final : Task {
    void run() override {}
  };
  Head head_;
};

/// What a descriptor can do, or is to be able to do, without blocking.
struct Ready {
  bool to_read = false;
  bool to_write = false;
};
using ReadyCallback = std::function<void(Ready)>;

/// Calls back as long as its descriptor is ready. Destroying it ends that; allowed in its callback.
class Watch {
 public:
  virtual ~Watch() = default;
};

struct ListenOptions {
  Endpoint endpoint;
  int backlog = 1024;
  bool share_port = false;  // SO_REUSEPORT: several workers listen on one port
  unsigned unix_mode = 0;   // permissions of a unix socket; 0: as the umask says
  // Whose the file of a unix socket is; unset: ours.
  std::optional<std::uint32_t> unix_uid{}, unix_gid{};
  /// Of another worker's listener at the same unix socket, which this one shares: see
  /// Listener::descriptor(). -1: none, it is bound.
  int shared_descriptor = -1;
};

/// Accepts until it is destroyed. Thread: its loop's only.
class Listener {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    /// The new connection's stream is silent until start() is called with its handler. The
    /// listener may be told to stop accepting here, but not be destroyed.
    virtual void on_accepted(std::unique_ptr<class AcceptedSocket> socket) = 0;
  };
  virtual ~Listener() = default;
  /// Where it listens in fact: the port that the kernel picked where port 0 was asked for.
  virtual Endpoint endpoint() const = 0;
  /// Off: connections wait in the backlog.
  virtual void set_accepting(bool on) = 0;
  /// Its socket, for ListenOptions::shared_descriptor; -1: there is none.
  virtual int descriptor() const { return -1; }
};

/// A connection that was accepted and has no handler yet. Destroying it closes it.
class AcceptedSocket {
 public:
  virtual ~AcceptedSocket() = default;
  virtual std::unique_ptr<Stream> start(Stream::Handler& handler) = 0;
  /// Who connected. Unset where nobody can tell: over TCP.
  virtual std::optional<Peer> peer() const { return std::nullopt; }
};

/// One thread's source of time and bytes. Behind this header stand the libevent loop and, for
/// tests, a simulated one. Turns: wait for something to happen, run what happened, run the tasks of
/// at_turn_end() until none is left (streams send in one of them), and again.
/// Thread: all but post() and stop() belong to the thread that runs it (or to the one that sets
/// up, before run()).
class EventLoop : public Clock {
 public:
  virtual std::unique_ptr<Timer> make_timer(TimerCallback callback) = 0;
  /// Never fails at once: a failure is on_broken in a later turn. `handler` outlives the stream.
  virtual std::unique_ptr<Stream> connect(const Address& to, Stream::Handler& handler) = 0;
  /// Fails with a sentence (address in use, no permission, ...). Resolves a host's name, blocking.
  /// A unix socket is bound once: share_port is refused there. Its file goes with that listener;
  /// one that was left over by a process that was killed is replaced.
  virtual Result<std::unique_ptr<Listener>, std::string> listen(const ListenOptions& options,
                                                                Listener::Handler& handler) = 0;
  /// Watches a descriptor that is no stream: a signalfd, a resolver's socket. `fd` stays the
  /// caller's, and outlives the watch. Null on a loop that has no descriptors (a simulated one).
  // NOLINTNEXTLINE(performance-unnecessary-value-param): whoever watches keeps it
  virtual std::unique_ptr<Watch> watch(int /*fd*/, Ready /*wanted*/, ReadyCallback /*on_ready*/) {
    return nullptr;
  }
  virtual void at_turn_end(Task& task) = 0;
  /// In the next turn, which then does not wait for anything else.
  virtual void in_next_turn(Task& task) = 0;
  /// From any thread: runs `work` in a turn of this loop. What was posted before stop() runs.
  virtual void post(std::function<void()> work) = 0;
  virtual void run() = 0;  // until stop()
  virtual void stop() = 0;
};

/// `method`: auto, epoll, poll or select. Timers that are due run before the bytes of the same
/// turn: a timer's callback that needs to know what came meanwhile looks (Stream::look).
Result<std::unique_ptr<EventLoop>, std::string> make_event_loop(const std::string& method);

/// Of the library behind that loop: "2.1.12-stable".
const char* event_library_version();

}  // namespace mcsteady::net
