#include "bench/sockets.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mcsteady::bench {
namespace {

constexpr int kBacklog = 4096;

const sockaddr* raw(const net::Address& address) {
  return reinterpret_cast<const sockaddr*>(address.storage);
}

void set_no_delay(int fd, int family) {
  const int on = 1;
  if (family != AF_UNIX) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

void fail_with_errno(const std::string& what) {
  fail(what + ": " + std::strerror(errno));
}

net::Address address_of(const std::string& endpoint) {
  const auto parsed = net::parse_endpoint(endpoint);
  if (!parsed) fail(endpoint + ": " + parsed.error());
  const auto address = net::numeric_address(*parsed);
  if (!address) fail(endpoint + ": use a numeric address or unix:/path");
  return *address;
}

Fd connect_to(const net::Address& address) {
  Fd socket(::socket(address.family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), raw(address), address.size) != 0) {
    fail_with_errno("connect to " + address.text());
  }
  set_no_delay(socket.get(), address.family);
  fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
  return socket;
}

Fd listen_on(const net::Address& address) {
  Fd socket(::socket(address.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!socket || ::bind(socket.get(), raw(address), address.size) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    fail_with_errno("listen on " + address.text());
  }
  return socket;
}

Fd accept_from(const Fd& listener) {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  Fd socket(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&from), &size,
                      SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) set_no_delay(socket.get(), from.ss_family);
  return socket;
}

Epoll::Epoll() : fd_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!fd_) fail_with_errno("epoll_create1");
}

void Epoll::control(int operation, int fd, std::uint32_t events, void* data) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = data;
  if (epoll_ctl(fd_.get(), operation, fd, &event) != 0) fail_with_errno("epoll_ctl");
}

}  // namespace mcsteady::bench
