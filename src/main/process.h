#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "main/background_thread.h"
#include "main/credential_files.h"
#include "main/signals.h"
#include "main/tls_files.h"
#include "mcsteady/admin/metrics_line.h"
#include "mcsteady/admin/stats.h"
#include "mcsteady/base/log.h"
#include "mcsteady/config/config.h"
#include "mcsteady/discovery/directory.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/resolver.h"
#include "mcsteady/proxy/worker.h"

namespace mcsteady {

/// The running proxy: workers on threads of their own, and the main thread, whose loop handles
/// signals, looks names up, and writes the metrics line.
class Process final : private discovery::Directory::Listener {
 public:
  Process(const config::Config& config, OutputLog& log, const std::string& version);
  ~Process() override;

  /// Opens the listeners; fails with a sentence.
  Result<void, std::string> open();
  /// Runs until a signal says stop and all is drained.
  void run();

 private:
  struct Lane {
    std::unique_ptr<net::EventLoop> loop;
    std::unique_ptr<proxy::Worker> worker;
    std::thread thread;
  };
  class SteadyClock final : public Clock {
   public:
    TimePoint now() const override { return std::chrono::steady_clock::now(); }
  };

  void make_authenticators();
  void warn_of_unverified() const;
  Result<void, std::string> open_lane(std::size_t index);
  Result<void, std::string> refuse_taken_ports(net::EventLoop& loop) const;
  Result<void, std::string> find_names();
  void wait_for_first_answers();
  void on_signal(Signals::Event event);
  void reopen();
  void report();
  void look_at_files();
  void stop();

  void on_members(const std::string& pool, routing::MembershipPtr members) override;
  void on_addresses_changed() override;
  /// Does it with each worker, in the worker's thread.
  void for_each_worker(const std::function<void(proxy::Worker&)>& work);

  config::Config config_;
  OutputLog& log_;
  std::unique_ptr<net::EventLoop> loop_;  // the main thread's
  Signals signals_;
  SteadyClock clock_;
  net::MemoryBudget memory_;
  metrics::Registry registry_;
  upstream::Fleet fleet_;
  admin::Stats stats_;
  proxy::Shared shared_;
  CredentialFiles credential_files_;
  TlsFiles tls_files_;
  std::vector<Lane> lanes_;
  bool stopping_ = false;
  std::unique_ptr<net::Timer> report_timer_;
  std::unique_ptr<net::Timer> files_timer_;
  std::unique_ptr<admin::MetricsLine> metrics_line_;
  std::unique_ptr<net::Resolver> resolver_;
  std::unique_ptr<discovery::Directory> directory_;
  BackgroundThread background_;  // ends first: its results are posted to the loops
};

}  // namespace mcsteady
