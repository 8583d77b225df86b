#pragma once

#include <array>

#include "mcsteady/metrics/histogram.h"
#include "mcsteady/metrics/metrics.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/protocol/limit_kind.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady::proxy {

/// Why a client connection was closed. The order is that of the metrics.
enum class CloseCause : std::uint8_t {
  ClientClosed,  // it hung up, or was reset
  Quit,          // it said so
  Refused,       // its bytes made no sense, so that there was no going on
  TooMany,       // over limits.clients
  Stranger,      // not one of the listener's peers
  TlsFailed,     // no handshake, or none in time
  AuthFailed,    // it did not say who it is, in so many tries
  AuthLate,      // ... nor in so much time
  SlowRequest,   // it took too long to send a request
  Idle,          // it sent no request for too long
  Stuck,         // it held memory too long without taking or giving a byte
  NoMemory,      // it held the most when limits.memory was reached
  Drained,       // we are stopping
};
inline constexpr std::size_t kCloseCauseCount = static_cast<std::size_t>(CloseCause::Drained) + 1;
const char* to_string(CloseCause cause);

struct HitsAndMisses {
  metrics::Counter hits, misses;
};

/// What one worker counts of its clients. Registered under the names of the members.
struct WorkerMetrics {
  std::array<metrics::Counter, protocol::kVerbCount> commands;  // cmd_<verb>
  metrics::Counter refusals;                                    // lines that were not passed on
  std::array<metrics::Counter, protocol::kLimitKindCount>
      over_limit;                         // of these; over_limit_<kind>
  metrics::Counter over_limit_in_flight;  // times a client was not read for requests under way
  metrics::Counter get_keys, get_hits, get_misses;  // keys of get, gets, gat, gats, mg
  // <command>_hits, <command>_misses. Those of gat are among the get's above, too.
  HitsAndMisses of_delete, of_incr, of_decr, of_touch, of_gat, of_cas;
  metrics::Counter cas_badval;   // the item had changed
  metrics::Counter unavailable;  // answered by policy because no server could
  metrics::Counter clients_accepted;
  std::array<metrics::Counter, kCloseCauseCount> clients_closed;
  metrics::Counter auth_accepted, auth_failures;  // tries to authenticate
  metrics::Counter auth_busy;                     // tries that could not be looked at
  metrics::Gauge clients;
  metrics::Counter bytes_read, bytes_written;  // from and to clients
  metrics::Counter yields;          // times a client gave way with requests of its own waiting
  metrics::Counter reads_paused;    // times a client was not read because it did not read
  metrics::Histogram request_time;  // from reading a request to the end of its reply
  metrics::Histogram loop_lag;      // how late the loop's beats were

  void register_in(metrics::Registry& registry) const;
};

}  // namespace mcsteady::proxy
