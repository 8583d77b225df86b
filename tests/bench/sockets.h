#pragma once

#include <sys/epoll.h>

#include <string>
#include <utility>

#include "mcsteady/net/address.h"

namespace mcsteady::bench {

/// A descriptor with one owner.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Says what failed and why, and ends the program with status 1: a bench has nothing to go on with.
[[noreturn]] void fail(const std::string& what);
[[noreturn]] void fail_with_errno(const std::string& what);

net::Address address_of(const std::string& endpoint);

/// Blocks until it is connected; non-blocking from then on, and without Nagle's delay on TCP.
Fd connect_to(const net::Address& address);
Fd listen_on(const net::Address& address);
/// Empty where nobody waits to be accepted.
Fd accept_from(const Fd& listener);

/// An epoll descriptor whose events carry pointers.
class Epoll {
 public:
  Epoll();
  void add(int fd, std::uint32_t events, void* data) { control(EPOLL_CTL_ADD, fd, events, data); }
  void change(int fd, std::uint32_t events, void* data) {
    control(EPOLL_CTL_MOD, fd, events, data);
  }
  int fd() const { return fd_.get(); }

 private:
  void control(int operation, int fd, std::uint32_t events, void* data);
  Fd fd_;
};

}  // namespace mcsteady::bench
