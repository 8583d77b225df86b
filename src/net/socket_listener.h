#pragma once

#include <memory>
#include <string>

#include "mcsteady/net/event_loop.h"
#include "net/handles.h"
#include "net/reactor.h"
#include "net/unix_socket_file.h"

namespace mcsteady::net {

/// A listening TCP or unix socket. An IPv6 one takes IPv6 only, so that `0.0.0.0` and `[::]` can
/// stand side by side. Where the process runs out of descriptors it rests for a moment instead of
/// spinning on a connection that it cannot take.
class SocketListener final : public Listener {
 public:
  /// Resolves a host name, blocking: listeners are opened before the loop runs.
  static Result<std::unique_ptr<Listener>, std::string> open(const Reactor& reactor,
                                                             const ListenOptions& options,
                                                             Handler& handler);
  SocketListener(const Reactor& reactor, UniqueFd socket, UnixSocketFile file, Endpoint endpoint,
                 Handler& handler);

  Endpoint endpoint() const override { return endpoint_; }
  void set_accepting(bool on) override;
  int descriptor() const override { return socket_.get(); }

 private:
  void accept_some();
  void rest();

  const Reactor& reactor_;
  Handler& handler_;
  const Endpoint endpoint_;
  UniqueFd socket_;
  UnixSocketFile file_;
  EventPtr event_;
  std::unique_ptr<Timer> rest_timer_;
  bool accepting_ = true;
};

}  // namespace mcsteady::net
