#pragma once

#include <poll.h>
#include <sys/socket.h>

namespace mcsteady::net {

/// The system calls that streams make to move bytes. The kernel's, unless a test counts them or
/// makes them misbehave as a kernel may: short counts, EINTR, polls that miss what is there.
struct SocketCalls {
  ssize_t (*receive)(int fd, void* to, size_t size, int flags) = ::recv;
  ssize_t (*send)(int fd, const msghdr* message, int flags) = ::sendmsg;
  int (*poll)(pollfd* fds, nfds_t count, int timeout_ms) = ::poll;
};

}  // namespace mcsteady::net
