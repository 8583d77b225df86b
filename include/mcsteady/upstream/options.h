#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/clock.h"
#include "mcsteady/net/address.h"
#include "mcsteady/net/tls.h"

namespace mcsteady::upstream {

struct HealthOptions {
  int max_failures = 2;                                      // incidents in a row, until Down
  Duration down_retry_delay = std::chrono::seconds(30);      // from Down to the probe
  Duration down_retry_delay_max = std::chrono::seconds(30);  // failed probes double it up to here
  bool flush_on_return = false;                              // flush_all, before it is used again
  double jitter = 0.1;  // each delay is shortened by a random share of up to this much
};

struct ServerOptions {
  std::string name;  // who it is in logs, metrics and error lines
  net::Endpoint endpoint;
  int connections = 1;  // to this server, from each worker
  Duration connect_timeout = std::chrono::milliseconds(500);
  Duration response_timeout = std::chrono::milliseconds(250);  // the longest wait
  Duration request_timeout = std::chrono::milliseconds(800);   // whole time with us; 0: none
  bool timeout_recovery = true;
  bool gather_gets = true;                             // gets that leave together share a line
  Duration stall_min = std::chrono::milliseconds(20);  // from this lateness on, a stall is ours
  ByteCount value_max = MiB(8);
  ByteCount large_value{0};  // larger ones have a connection of their own; 0: they have not
  HealthOptions health;
  std::shared_ptr<net::TlsClient> tls{};  // null: plain
};

}  // namespace mcsteady::upstream
