#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mcsteady/upstream/context.h"
#include "mcsteady/upstream/exchange.h"
#include "mcsteady/upstream/options.h"
#include "mcsteady/upstream/server_metrics.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::upstream {

/// A server as one worker sees it: its connections, the deadlines of what is on them, and, on the
/// worker that took it down, its probe. What is submitted while it is down fails at once.
///
/// With ServerOptions::large_value what is large, or likely to be, goes by a connection more, so
/// that small requests of other clients need not wait behind it. A client's requests stay in order:
/// while one of them is without its reply, those that follow go by the same connection.
/// Owner: routing::Pool. Borrows everything in `context`, and `shared`. Thread: its worker's.
class Server {
 public:
  Server(const ServerOptions& options, const Context& context, SharedServer& shared);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool is_down() const;
  /// Takes the exchange over; its owner hears of it in a later turn, or never if it gives it up.
  /// (A failure may come before this returns where the server is down.) Exchanges of one `lane`,
  /// which is one client's, arrive in order, unless a connection is retired between.
  void submit(ExchangePtr exchange, std::size_t lane);

  /// Its addresses are others now (SharedServer::set_addresses). New exchanges go to a fresh
  /// connection; what is owed on one to an address that is gone may still come. If this worker is
  /// to probe it, it does so at once.
  void on_addresses_changed();
  /// It is no member of its pool any more: what was submitted finishes, then its connections close.
  void leave();
  /// It is one again.
  void join();
  /// It has left, and nothing is left to do: it may be destroyed, from outside its callbacks.
  bool is_gone() const;

  const ServerOptions& options() const;
  const std::string& name() const;
  const ServerMetrics& metrics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mcsteady::upstream
