#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcsteady/proxy/worker.h"
#include "sim/sim_client.h"
#include "support/capture_log.h"
#include "support/scripted_server.h"
#include "support/sim_loop.h"
#include "support/test_certificates.h"

namespace mcsteady::test {

/// Both ends of the TLS that a world's servers speak.
struct WorldTls {
  WorldTls();
  TestCertificates certificates;
  std::unique_ptr<net::TlsServer> server;
  std::shared_ptr<net::TlsClient> client;
};

/// A whole worker on a simulated loop, with memcacheds on one side and clients on the other, in a
/// world whose every chance comes from one seed. In a share of the worlds they speak TLS, whose
/// keys and randoms are not of the seed: there a replay may differ by a byte in a message's size.
class WorkerWorld final : private proxy::StatsSource {
 public:
  /// Honest: servers are late, hang, hang up and break off; Exact: they are not, but everyone else
  /// stalls, splits and dawdles. Moving and Honest: servers come and go.
  WorkerWorld(std::uint64_t seed, Expect expect);
  ~WorkerWorld() override;

  /// Lets every client send its requests and waits for the last reply.
  void run();
  /// What was wrong, in words; empty: nothing.
  std::string complaint() const;
  /// The route that its requests take, as it would be configured.
  const std::string& route() const { return route_; }

 private:
  struct Place {
    std::unique_ptr<SimLoop> loop;
    std::unique_ptr<ScriptedServer> server;
  };
  struct Customer {
    std::unique_ptr<SimLoop> loop;
    std::unique_ptr<SimClient> client;
    bool leaves = false;  // in the middle of what it does
  };

  std::string stats(std::string_view) override { return "END\r\n"; }
  void make_servers();
  routing::PoolOptions make_pool(std::string name, std::size_t from, std::size_t to);
  routing::RouteOptions make_pair_route();
  routing::RouteOptions make_route();
  void make_worker();
  void make_clients();
  std::unique_ptr<SimClient> make_client(SimLoop& loop, int id);
  PathConditions client_path();
  ServerAct act_of_a_bad_server();
  void change_members();
  void step();
  bool nothing_is_owed() const;
  bool done() const;
  std::string check_counters() const;

  Rng rng_;
  const Expect expect_;
  Expect of_clients_;  // what they hold their replies to, by what the route promises
  SimNetwork network_;
  std::optional<WorldTls> tls_;
  std::vector<Place> servers_;
  std::size_t main_count_ = 0;  // of the servers; those behind are spare ones of a failover
  CaptureLog log_;
  upstream::Fleet fleet_{log_, 1};
  net::MemoryBudget memory_{MiB(64)};
  metrics::Registry registry_;
  std::vector<upstream::Fleet::ServerPtr> records_;
  routing::PoolOptions pool_;
  std::unique_ptr<proxy::Shared> shared_;
  std::unique_ptr<SimLoop> proxy_loop_;
  std::unique_ptr<proxy::Worker> worker_;
  std::vector<Customer> customers_;
  std::string leak_;
  std::string route_;
};

}  // namespace mcsteady::test
