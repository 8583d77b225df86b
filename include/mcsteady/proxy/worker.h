#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "mcsteady/base/log.h"
#include "mcsteady/base/result.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/proxy/authenticator.h"
#include "mcsteady/proxy/memory_relief.h"
#include "mcsteady/proxy/options.h"
#include "mcsteady/proxy/worker_metrics.h"
#include "mcsteady/routing/membership.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::proxy {

/// Answers the `stats` command. Threads: any worker's.
class StatsSource {
 public:
  virtual ~StatsSource() = default;
  /// The whole reply, END included, for `stats <arguments>`.
  virtual std::string stats(std::string_view arguments) = 0;
};

/// What workers share. Outlives them.
struct Shared {
  upstream::Fleet& fleet;
  net::MemoryBudget& memory;
  metrics::Registry& registry;
  StatsSource& stats;
  Log& log;
  std::string version;  // as `version` answers it
  /// By the name of the file: one for each that a listener of the options names.
  std::map<std::string, std::unique_ptr<Authenticator>> authenticators{};
  std::atomic<std::size_t> client_count{0};
  MemoryRelief relief{};
};

/// One event loop's share of the proxy: its listeners, its clients, its connections to servers.
/// Thread: the one that runs `loop`; construct and listen() before that.
class Worker {
 public:
  Worker(const WorkerOptions& options, net::EventLoop& loop, Shared& shared);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Opens the listeners of the options whose number is in [first, last). Fails with a sentence.
  Result<void, std::string> listen(std::size_t first, std::size_t last);
  /// Where listener `index` of those listens in fact.
  net::Endpoint endpoint(std::size_t index) const;
  /// Of a listener, for others to share: see net::ListenOptions.
  int descriptor(std::size_t index) const;

  /// The pool of that name has these servers from now on (routing::Pool::change).
  void change_pool(const std::string& name, const routing::MembershipPtr& membership);
  /// Servers have other addresses than before.
  void on_addresses_changed();

  /// Accepts no more; closes each client once its requests are answered, and all that are left
  /// after drain_timeout; then calls `drained`, once.
  void drain(std::function<void()> drained);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mcsteady::proxy
