#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>

#include "net/socket_calls.h"

namespace mcsteady::net {

/// Socket calls that are counted, and misbehave as the kernel's may where a test says so.
/// Function pointers carry no state, so it is static: one test at a time.
struct CountedCalls {
  static inline int receives = 0;
  static inline int sends = 0;
  static inline int polls = 0;
  static inline int interrupts = 0;           // so many calls fail with EINTR first
  static inline std::size_t receive_max = 0;  // 0: no limit
  static inline bool polls_are_blind = false;
  static inline std::function<void()> before_send;

  static void reset() {
    receives = sends = polls = interrupts = 0;
    receive_max = 0;
    polls_are_blind = false;
    before_send = nullptr;
  }
  static SocketCalls calls() { return {.receive = receive, .send = send, .poll = poll}; }

 private:
  static bool interrupted() {
    if (interrupts == 0) return false;
    --interrupts;
    errno = EINTR;
    return true;
  }
  static ssize_t receive(int fd, void* to, std::size_t size, int flags) {
    ++receives;
    if (interrupted()) return -1;
    return ::recv(fd, to, receive_max == 0 ? size : std::min(size, receive_max), flags);
  }
  static ssize_t send(int fd, const msghdr* message, int flags) {
    ++sends;
    if (interrupted()) return -1;
    if (before_send) before_send();
    return ::sendmsg(fd, message, flags);
  }
  static int poll(pollfd* fds, nfds_t count, int timeout_ms) {
    ++polls;
    return polls_are_blind ? 0 : ::poll(fds, count, timeout_ms);
  }
};

}  // namespace mcsteady::net
