#pragma once

#include <cerrno>
#include <cstddef>
#include <functional>

#include "net/socket_calls.h"
#include "support/rng.h"

namespace mcsteady::upstream {

/// The kernel's socket calls, misbehaving at random as a kernel may. Function pointers carry no
/// state, so it is static: one test at a time.
struct FaultyCalls {
  static inline test::Rng* rng = nullptr;
  static inline double short_receives = 0;
  static inline double interrupts = 0;
  static inline double vain_receives = 0;  // ready, it was said, but there is nothing
  static inline double missed_polls = 0;
  /// Told of each receive: what was asked for, and what came (-1: nothing).
  static inline std::function<void(std::size_t, ssize_t)> on_receive;
  /// Told of each poll: its timeout.
  static inline std::function<void(int)> on_poll;

  static void reset() {
    rng = nullptr;
    short_receives = interrupts = vain_receives = missed_polls = 0;
    on_receive = nullptr;
    on_poll = nullptr;
  }
  static net::SocketCalls calls() { return {.receive = receive, .send = send, .poll = poll}; }

 private:
  static bool happens(double chance) { return rng != nullptr && rng->chance(chance); }
  static bool fails_with(int error, double chance) {
    if (!happens(chance)) return false;
    errno = error;
    return true;
  }
  static ssize_t receive(int fd, void* to, std::size_t size, int flags) {
    if (fails_with(EINTR, interrupts) || fails_with(EAGAIN, vain_receives)) return -1;
    const bool is_short = size > 1 && happens(short_receives);
    const ssize_t got = ::recv(fd, to, is_short ? rng->between(1, size - 1) : size, flags);
    const int error = errno;
    if (on_receive) on_receive(size, got);
    errno = error;
    return got;
  }
  static ssize_t send(int fd, const msghdr* message, int flags) {
    if (fails_with(EINTR, interrupts)) return -1;
    return ::sendmsg(fd, message, flags);
  }
  static int poll(pollfd* fds, nfds_t count, int timeout_ms) {
    if (on_poll) on_poll(timeout_ms);
    return happens(missed_polls) ? 0 : ::poll(fds, count, timeout_ms);
  }
};

}  // namespace mcsteady::upstream
