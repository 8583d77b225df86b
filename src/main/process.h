#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "main/background_thread.h"
#include "main/credential_files.h"
#include "main/name_lookup.h"
#include "main/signals.h"
#include "mcsteady/admin/metrics_line.h"
#include "mcsteady/admin/stats.h"
#include "mcsteady/base/log.h"
#include "mcsteady/config/config.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/proxy/worker.h"

namespace mcsteady {

/// The running proxy: workers on threads of their own, and the main thread, which handles signals,
/// has names looked up, and writes the metrics line.
class Process {
 public:
  Process(const config::Config& config, OutputLog& log, const std::string& version);
  ~Process();

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
  void reopen();
  Duration until_next_duty(TimePoint look_at) const;
  Result<void, std::string> open_lane(std::size_t index);
  Result<void, std::string> refuse_taken_ports(net::EventLoop& loop) const;
  void stop();

  config::Config config_;
  OutputLog& log_;
  Signals signals_;
  SteadyClock clock_;
  net::MemoryBudget memory_;
  metrics::Registry registry_;
  upstream::Fleet fleet_;
  NameLookup names_;
  admin::Stats stats_;
  proxy::Shared shared_;
  CredentialFiles credential_files_;
  std::vector<Lane> lanes_;
  BackgroundThread background_;  // ends first: its results are posted to the loops
};

}  // namespace mcsteady
