#pragma once

#include <memory>

#include "mcsteady/net/event_loop.h"
#include "net/handles.h"

namespace mcsteady::net {

/// A Watch by libevent.
class DescriptorWatch final : public Watch {
 public:
  DescriptorWatch(event_base* base, int fd, Ready wanted, ReadyCallback on_ready);
  ~DescriptorWatch() override;
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

 private:
  void on_event(short what);

  ReadyCallback on_ready_;
  bool* destroyed_ = nullptr;  // set during the callback
  EventPtr event_;
};

}  // namespace mcsteady::net
