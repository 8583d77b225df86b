#pragma once

#include <deque>
#include <memory>

#include "mcsteady/net/event_loop.h"

namespace mcsteady::test {

class SimConnection;
class SimLoop;

/// A listening socket of the simulated network. Owner: whoever called listen(). Outlived by its
/// loop.
class SimListener final : public net::Listener {
 public:
  SimListener(SimLoop& loop, net::ListenOptions options, Handler& handler);
  ~SimListener() override;

  net::Endpoint endpoint() const override { return options_.endpoint; }
  void set_accepting(bool on) override { accepting_ = on; }

  const net::ListenOptions& options() const { return options_; }
  void set_endpoint(net::Endpoint endpoint) { options_.endpoint = std::move(endpoint); }

  // For the network and the loop.
  /// False where the backlog is full.
  bool offer(SimConnection& connection);
  bool is_ready() const { return accepting_ && !backlog_.empty(); }
  /// Accepts what waited when the turn began.
  void run_ready();

 private:
  SimLoop& loop_;
  net::ListenOptions options_;
  Handler& handler_;
  std::deque<SimConnection*> backlog_;
  bool accepting_ = true;
  bool* destroyed_ = nullptr;  // tells run_ready() that a handler destroyed this
};

}  // namespace mcsteady::test
