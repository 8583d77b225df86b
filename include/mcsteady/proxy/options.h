#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/clock.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/tls.h"
#include "mcsteady/protocol/request.h"
#include "mcsteady/proxy/peer_rule.h"
#include "mcsteady/routing/options.h"
#include "mcsteady/routing/route.h"

namespace mcsteady::proxy {

/// Of clients on a listener that asks who they are.
struct AuthOptions {
  int tries_max = 3;                                 // failed ones; then it is closed
  Duration failure_delay = std::chrono::seconds(1);  // until a failed try is answered
  Duration time_max = std::chrono::seconds(10);      // to get in, from accept on; 0: any
};

/// What `version` tells a client.
enum class VersionPolicy {
  Ours,
  Servers,  // the lowest of the servers that answer: what all of them can do
};

struct ClientOptions {
  protocol::Limits limits;
  std::size_t clients_max = 10000;       // of all workers together
  ByteCount output_high_water = MiB(2);  // above it a client is not read, and gets are portioned
  Duration stuck_timeout =
      std::chrono::seconds(60);      // holding memory without taking or giving a byte
  int requests_per_turn = 64;        // then the client gives way
  std::size_t in_flight_max = 1024;  // requests of a client that are under way
  Duration request_time_max = std::chrono::minutes(2);  // from a request's first byte to its last;
                                                        // 0: any
  Duration idle_max{0};  // without a request, then a client is closed; 0: never
  AuthOptions auth;
  VersionPolicy version = VersionPolicy::Ours;
};

/// A listener, and who is served on it.
struct ListenerOptions {
  net::ListenOptions socket{};
  PeerRule peers{};                       // of a unix socket
  std::string auth_file{};                // of users and their passwords; empty: nobody is asked
  std::shared_ptr<net::TlsServer> tls{};  // null: plain
};

struct WorkerOptions {
  std::vector<ListenerOptions> listeners;
  std::vector<routing::PoolOptions> pools;
  routing::RouteOptions route;  // where requests go; the pools that it names are among `pools`
  ClientOptions client;
  int workers = 1;                                     // how many there are, itself among them
  std::chrono::system_clock::time_point started_at{};  // the time of day when it is made
  Duration drain_timeout = std::chrono::seconds(10);
};

}  // namespace mcsteady::proxy
