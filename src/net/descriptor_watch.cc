#include "net/descriptor_watch.h"

#include <utility>

namespace mcsteady::net {

DescriptorWatch::DescriptorWatch(event_base* base, int fd, Ready wanted, ReadyCallback on_ready)
    : on_ready_(std::move(on_ready)) {
  short what = EV_PERSIST;
  if (wanted.to_read) what |= EV_READ;
  if (wanted.to_write) what |= EV_WRITE;
  event_.reset(event_new(
      base, fd, what,
      [](evutil_socket_t, short seen, void* self) {
        static_cast<DescriptorWatch*>(self)->on_event(seen);
      },
      this));
  event_add(event_.get(), nullptr);
}

DescriptorWatch::~DescriptorWatch() {
  if (destroyed_ != nullptr) *destroyed_ = true;
}

void DescriptorWatch::on_event(short what) {
  // Moved out for the call: a callback that destroys its watch would destroy itself.
  ReadyCallback on_ready = std::move(on_ready_);
  bool destroyed = false;
  destroyed_ = &destroyed;
  on_ready({.to_read = (what & EV_READ) != 0, .to_write = (what & EV_WRITE) != 0});
  if (destroyed) return;
  destroyed_ = nullptr;
  on_ready_ = std::move(on_ready);
}

}  // namespace mcsteady::net
