#include "net/libevent_loop.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "net/descriptor_watch.h"
#include "net/socket_listener.h"
#include "net/socket_stream.h"

namespace mcsteady::net {
namespace {

// libevent runs what is due in one priority before it looks at the next.
constexpr int kPriorities = 2;
constexpr int kAlarmPriority = 0;

// Each is a poll that does not wait: so many cost less than the send that they may save.
constexpr int kBusyTurnsMax = 8;

Result<EventBasePtr, std::string> make_base(const std::string& method) {
  const bool known =
      method == "auto" || method == "epoll" || method == "poll" || method == "select";
  if (!known) {
    return Unexpected{"'" + method + "' is no way to wait for events: use auto, epoll, poll or " +
                      "select"};
  }
  const EventConfigPtr config(event_config_new());
  if (!config) return Unexpected{std::string("no memory for an event loop")};
  // One thread uses a base; post() has a lock of its own. No time is ever asked of libevent.
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_NOLOCK);
  event_config_set_flag(config.get(), EVENT_BASE_FLAG_NO_CACHE_TIME);
  if (method != "auto") {
    event_config_set_flag(config.get(), EVENT_BASE_FLAG_IGNORE_ENV);
    for (const char** other = event_get_supported_methods(); *other != nullptr; ++other) {
      if (method != *other) event_config_avoid_method(config.get(), *other);
    }
  }
  EventBasePtr base(event_base_new_with_config(config.get()));
  if (!base) return Unexpected{"this system cannot wait for events with " + method};
  event_base_priority_init(base.get(), kPriorities);
  return base;
}

std::string system_error(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

}  // namespace

Result<std::unique_ptr<EventLoop>, std::string> make_event_loop(const std::string& method) {
  return LibeventLoop::make(method);
}

Result<std::unique_ptr<LibeventLoop>, std::string> LibeventLoop::make(const std::string& method,
                                                                      const SocketCalls& calls) {
  auto base = make_base(method);
  if (!base) return Unexpected{std::move(base.error())};
  UniqueFd wake(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake) return Unexpected{system_error("eventfd")};
  UniqueFd alarm(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!alarm) return Unexpected{system_error("timerfd_create")};
  std::unique_ptr<LibeventLoop> loop(
      new LibeventLoop(std::move(*base), std::move(wake), std::move(alarm), calls));
  if (!loop->add_own_events()) return Unexpected{system_error("event_add")};
  return loop;
}

LibeventLoop::LibeventLoop(EventBasePtr base, UniqueFd wake, UniqueFd alarm,
                           const SocketCalls& calls)
    : calls_(calls),
      base_(std::move(base)),
      reactor_{base_.get(), turn_end_,  next_turn_, quiet_, bytes_came_,
               timers_,     lingering_, *this,      calls_},
      alarm_(std::move(alarm)),
      wake_(std::move(wake)) {}

LibeventLoop::~LibeventLoop() = default;

bool LibeventLoop::add_own_events() {
  alarm_event_.reset(event_new(
      base_.get(), alarm_.get(), EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<LibeventLoop*>(self)->on_alarm(); },
      this));
  wake_event_.reset(event_new(
      base_.get(), wake_.get(), EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<LibeventLoop*>(self)->on_wake(); },
      this));
  return alarm_event_ && wake_event_ &&
         event_priority_set(alarm_event_.get(), kAlarmPriority) == 0 &&
         event_add(alarm_event_.get(), nullptr) == 0 && event_add(wake_event_.get(), nullptr) == 0;
}

std::unique_ptr<Timer> LibeventLoop::make_timer(TimerCallback callback) {
  return timers_.make_timer(std::move(callback));
}

std::unique_ptr<Stream> LibeventLoop::connect(const Address& to, Stream::Handler& handler) {
  return SocketStream::connect(reactor_, to, handler);
}

Result<std::unique_ptr<Listener>, std::string> LibeventLoop::listen(const ListenOptions& options,
                                                                    Listener::Handler& handler) {
  return SocketListener::open(reactor_, options, handler);
}

std::unique_ptr<Watch> LibeventLoop::watch(int fd, Ready wanted, ReadyCallback on_ready) {
  return std::make_unique<DescriptorWatch>(base_.get(), fd, wanted, std::move(on_ready));
}

std::unique_ptr<Stream> LibeventLoop::adopt(UniqueFd socket, Stream::Handler& handler) {
  return SocketStream::accept(reactor_, std::move(socket), handler);
}

std::string LibeventLoop::method() const {
  return event_base_get_method(base_.get());
}

void LibeventLoop::run() {
  stopped_ = false;
  while (!stopped_) turn();
}

void LibeventLoop::turn() {
  this_turn_.take_all(next_turn_);
  bool waits = this_turn_.empty();
  while (Task* task = this_turn_.take_first()) task->run();
  waits = waits && next_turn_.empty() && turn_end_.empty() && quiet_.empty();
  const auto earliest = timers_.earliest();
  if (earliest && (!alarm_at_ || *earliest < *alarm_at_)) arm_alarm(earliest);

  bytes_came_ = false;
  if (event_base_loop(base_.get(), waits ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK) < 0) {
    std::perror("event_base_loop");  // the kernel refuses to wait for our own descriptors
    std::abort();
  }
  if (!quiet_.empty()) run_quiet();
  while (Task* task = turn_end_.take_first()) task->run();
}

void LibeventLoop::run_quiet() {
  if (bytes_came_ && ++busy_turns_ < kBusyTurnsMax) return;
  busy_turns_ = 0;
  turn_end_.take_all(quiet_);
}

void LibeventLoop::arm_alarm(std::optional<TimePoint> at) {
  itimerspec spec{};  // all zero: disarmed
  if (at) {
    // Zero would disarm, and what is before the clock's zero is due as well.
    const auto since = std::max(at->time_since_epoch(), Duration(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    spec.it_value.tv_sec = seconds.count();
    spec.it_value.tv_nsec = (since - seconds).count();
  }
  alarm_at_ = at;
  // Also takes back an expiry that nobody has read.
  timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

void LibeventLoop::on_alarm() {
  timers_.run_due();
  // What is due already waits for the next turn: bytes have their turn, too.
  auto earliest = timers_.earliest();
  if (earliest && *earliest <= now()) earliest.reset();
  arm_alarm(earliest);
}

void LibeventLoop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    if (posted_.size() > 1) return;  // whoever was first has woken it
  }
  const std::uint64_t one = 1;
  // Cannot fail but for a counter near 2^64, and then it is readable anyhow.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void LibeventLoop::on_wake() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t taken = ::read(wake_.get(), &count, sizeof count);
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const auto& each : work) each();
}

void LibeventLoop::stop() {
  // Through the queue: what was posted before runs before.
  post([this] { stopped_ = true; });
}

const char* event_library_version() {
  return event_get_version();
}

}  // namespace mcsteady::net
