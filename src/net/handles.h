#pragma once

#include <event2/event.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace mcsteady::net {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};
using EventConfigPtr = std::unique_ptr<event_config, FreeWith<event_config_free>>;
using EventBasePtr = std::unique_ptr<event_base, FreeWith<event_base_free>>;
using EventPtr = std::unique_ptr<event, FreeWith<event_free>>;  // declare below its base and its fd

/// A file descriptor with one owner.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace mcsteady::net
