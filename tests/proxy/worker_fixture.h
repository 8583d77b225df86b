#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/placement/placement.h"
#include "mcsteady/proxy/worker.h"
#include "support/capture_log.h"
#include "support/manual_background.h"
#include "support/scripted_server.h"
#include "support/sim_loop.h"
#include "support/sim_peer.h"

namespace mcsteady::test {

using namespace std::chrono_literals;

/// A whole worker between scripted servers and clients that a test plays byte by byte, each of the
/// three sides on a loop of its own. Set `options`, `pool`, `server` and `ceiling`, then start().
class WorkerTest : public testing::Test, protected proxy::StatsSource {
 public:
  ~WorkerTest() override {
    clients_.clear();
    worker.reset();
  }

 protected:
  WorkerTest() {
    pool.name = "main";
    server.health.max_failures = 1000;  // until a test wants them down
    server.health.jitter = 0;
    options.listeners = {{.socket = {.endpoint = kProxy}}};
    options.route = pool.name;
  }
  void start(std::size_t server_count) {
    std::vector<placement::Node> nodes;
    for (std::size_t i = 0; i < server_count; ++i) {
      add_server();
      nodes.push_back({.host = server.endpoint.host, .port = server.endpoint.port});
      pool.servers.push_back({.server = server});
    }
    placement_ = placement::make_placement(pool.placement, nodes);
    options.pools = {pool};
    launch();
  }
  /// Pools of one server each: the first has servers[0], and so on.
  void start_pools(const std::vector<std::string>& names, routing::RouteOptions route) {
    for (const std::string& name : names) {
      add_server();
      routing::PoolOptions one = pool;
      one.name = name;
      one.servers.push_back({.server = server});
      options.pools.push_back(one);
    }
    options.route = std::move(route);
    launch();
  }
  void add_server() {
    const net::Endpoint at = place_of(servers.size());
    server.name = "server" + std::to_string(servers.size());
    server.endpoint = at;
    servers.push_back(std::make_unique<ScriptedServer>(server_side, at));
  }
  void launch() {
    memory.emplace(ceiling);
    shared.emplace(fleet, *memory, registry, *stats_source, log, "1.0-test");
    for (const proxy::ListenerOptions& listener : options.listeners) {
      if (listener.auth_file.empty()) continue;
      shared->authenticators[listener.auth_file] =
          std::make_unique<proxy::Authenticator>(credentials, background);
    }
    worker = std::make_unique<proxy::Worker>(options, proxy_side, *shared);
    for (const auto& known : fleet.servers()) {
      known->set_address(*net::numeric_address(known->endpoint()));
    }
    ASSERT_TRUE(worker->listen(0, 1));
  }

  static net::Endpoint place_of(std::size_t index) {
    return {.host = "10.0.0." + std::to_string(index + 1), .port = 11211, .unix_path = {}};
  }
  SimPeer& connect() {
    clients_.push_back(std::make_unique<SimPeer>(client_side, *net::numeric_address(kProxy)));
    run_for(1ms);
    return *clients_.back();
  }
  void run_for(Duration duration) { proxy_side.run_for(duration); }
  /// What comes back to `client` in `within`.
  std::string ask(SimPeer& client, std::string_view request, Duration within = 5ms) {
    client.send(request);
    run_for(within);
    return client.take_received();
  }
  std::string ask(std::string_view request, Duration within = 5ms) {
    return ask(connect(), request, within);
  }

  /// The `number`-th key that is placed on server `index`.
  std::string key_on(std::size_t index, int number = 0) const {
    for (int i = 0;; ++i) {
      std::string key = "key" + std::to_string(i);
      if (placement_->place(key) == index && number-- == 0) return key;
    }
  }
  void store(const std::string& key, const std::string& value) {
    servers[placement_->place(key)]->items().set(key, value);
  }
  static std::string item(const std::string& key, const std::string& value) {
    return "VALUE " + key + " 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n";
  }
  static std::string set_request(const std::string& key, const std::string& value) {
    return "set " + key + " 0 0 " + std::to_string(value.size()) + "\r\n" + value + "\r\n";
  }
  static std::string repeated(std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  }

  std::uint64_t counted(const std::string& name) const { return registry.snapshot().counter(name); }
  std::uint64_t closed(const std::string& cause) const {
    return counted("clients_closed_" + cause);
  }
  std::size_t requests_seen(std::string_view verb) const {
    std::size_t total = 0;
    for (const auto& each : servers) total += each->count(verb);
    return total;
  }

  std::string stats(std::string_view) override { return "END\r\n"; }

  static inline const net::Endpoint kProxy{.host = "127.0.0.1", .port = 11211, .unix_path = {}};
  proxy::WorkerOptions options;
  routing::PoolOptions pool;       // start() adds the servers
  upstream::ServerOptions server;  // each of them, name and place apart
  proxy::Credentials credentials;  // of the listeners that name a file
  ManualBackground background;
  ByteCount ceiling = MiB(64);
  proxy::StatsSource* stats_source = this;

  SimNetwork network{7};
  SimLoop server_side{network};
  SimLoop proxy_side{network};
  SimLoop client_side{network};
  std::vector<std::unique_ptr<ScriptedServer>> servers;
  CaptureLog log;
  upstream::Fleet fleet{log, 1};
  metrics::Registry registry;
  std::optional<net::MemoryBudget> memory;
  std::optional<proxy::Shared> shared;
  std::unique_ptr<proxy::Worker> worker;

 private:
  std::unique_ptr<const placement::Placement> placement_;
  std::vector<std::unique_ptr<SimPeer>> clients_;
};

}  // namespace mcsteady::test
