#include "net/lingering_sockets.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace mcsteady::net {

void LingeringSockets::take(UniqueFd fd) {
  if (!fd || shutdown(fd.get(), SHUT_WR) != 0 || sockets_.size() >= kSocketsMax) return;
  sockets_.push_back({.all = *this, .fd = std::move(fd)});
  Socket& socket = sockets_.back();
  socket.self = std::prev(sockets_.end());
  if (!drop_input(socket)) {
    sockets_.pop_back();
    return;
  }
  socket.readable.reset(event_new(
      base_, socket.fd.get(), EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* it) {
        auto& its = *static_cast<Socket*>(it);
        if (!drop_input(its)) its.all.sockets_.erase(its.self);
      },
      &socket));
  socket.timeout.reset(event_new(
      base_, -1, EV_TIMEOUT,
      [](evutil_socket_t, short, void* it) {
        auto& its = *static_cast<Socket*>(it);
        its.all.sockets_.erase(its.self);
      },
      &socket));
  event_add(socket.readable.get(), nullptr);
  event_add(socket.timeout.get(), &kTimeMax);
}

bool LingeringSockets::drop_input(Socket& socket) {
  std::array<char, 16384> dropped;
  while (socket.dropped < kBytesMax) {
    const ssize_t count = recv(socket.fd.get(), dropped.data(), dropped.size(), 0);
    if (count < 0) return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
    if (count == 0) return false;
    socket.dropped += static_cast<std::size_t>(count);
  }
  return false;
}

}  // namespace mcsteady::net
