#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mcsteady/base/log.h"
#include "mcsteady/net/address.h"
#include "mcsteady/upstream/exchange.h"
#include "mcsteady/upstream/health.h"
#include "mcsteady/upstream/timeout_judge.h"

namespace mcsteady::upstream {

/// One event that counts against a server, however many requests or sockets it touched, with all
/// that was seen of it.
struct Incident {
  Failure cause = Failure::ServerLate;
  TimePoint began{};  // of the wait that ran out, or of the connection that failed
  std::optional<TimeoutEvidence> timeout;  // for waits that ran out
  std::size_t replies_owed = 0;            // on the connection it happened on
  std::size_t bytes_unread = 0;            // received, but not a whole reply
  int error_number = 0;                    // errno, where the kernel gave one
  Duration loop_lag{};                     // how late our loop's last beat was
  std::string reason{};                    // of TLS, in OpenSSL's words
};

class Fleet;

/// What all workers share of one server: its health, its addresses, and the log lines of its
/// changes. The endpoint is its identity: addresses come and go, the record stays.
/// Threads: any. The hot path reads an atomic; changes take the fleet's lock.
class SharedServer {
 public:
  SharedServer(Fleet& fleet, std::string name, net::Endpoint endpoint, const HealthOptions& health);

  const std::string& name() const { return name_; }
  const net::Endpoint& endpoint() const { return endpoint_; }
  Health::State state() const { return state_.load(std::memory_order_relaxed); }
  bool is_down() const { return state() == Health::State::Down; }
  /// It stands for what is not there (Fleet::nobody): down for ever.
  bool is_nobody() const { return nobody_; }

  /// A reply came within its wait.
  void on_answered() {
    if (!clean_.load(std::memory_order_relaxed)) clear_record();
  }
  enum class Verdict {
    PartOfTheLast,  // the incident before it goes on
    Excused,        // all servers seem to fail at once
    Counted,        // against the server
  };
  struct Consequence {
    Verdict verdict = Verdict::PartOfTheLast;
    std::optional<TimePoint> probe_at;  // it took the server down: the caller probes it then
  };
  /// What had begun before the last incident, and fails after it with no answer in between, is part
  /// of it: a restart closes all connections, and a hung server lets all of them wait.
  Consequence on_incident(const Incident& incident, TimePoint now);
  /// Logs what was not held against the server, at most once a second.
  void on_excused_wait(TimeoutVerdict verdict, const TimeoutEvidence& evidence, TimePoint now);
  void on_probe_answered();
  /// The time of the next probe, which the caller makes too; unset where it is not down any more.
  std::optional<TimePoint> on_probe_failed(Failure cause, TimePoint now);
  /// Whoever was to probe it has let that slip (it belonged to a pool that the server has left):
  /// true for one caller, who probes it now.
  bool take_over_probe(TimePoint now);

  /// What its state rests on.
  struct Record {
    Health::State state = Health::State::Up;
    int failures = 0;                   // incidents in a row
    std::optional<TimePoint> probe_at;  // set while Down
  };
  Record record() const;

  std::optional<net::Address> address() const;
  std::vector<net::Address> addresses() const;
  bool has_address(const net::Address& address) const;
  /// In the order in which they are to be tried; a failed connect goes on to the next one. The one
  /// in use stays in use while it is among them. False: they are the same, in whatever order.
  bool set_addresses(std::vector<net::Address> addresses);
  void set_address(const net::Address& address) { set_addresses({address}); }
  /// Whether there has been an incident since this was last asked: its addresses may be out of
  /// date.
  bool take_doubt() { return doubted_.exchange(false, std::memory_order_relaxed); }

 private:
  friend class Fleet;
  static constexpr TimePoint::rep kNever = std::numeric_limits<TimePoint::rep>::max();
  void clear_record();
  void doubt_addresses();
  void publish();
  void try_next_address();
  void log_down(const Incident& incident, int failures, Duration retry_in) const;

  Fleet& fleet_;
  const std::string name_;
  const net::Endpoint endpoint_;
  std::atomic<Health::State> state_{Health::State::Up};
  std::atomic<bool> clean_{true};  // an answer would change nothing
  std::atomic<TimePoint::rep> excuse_logged_at_{std::numeric_limits<TimePoint::rep>::min() / 2};
  std::atomic<TimePoint::rep> probe_overdue_at_{kNever};
  std::atomic<bool> doubted_{false};
  bool nobody_ = false;                 // from the start or never
  Health health_;                       // the rest is guarded by the fleet's lock
  std::optional<TimePoint> failed_at_;  // its last incident, unless it has answered since
  std::optional<TimePoint> silent_at_;  // its last timeout, unless it has answered since
  std::vector<net::Address> addresses_;
  std::size_t current_address_ = 0;
};

/// All servers of all pools. Knows when so many seem to fail in the same moment that the fault is
/// ours. Threads: any.
class Fleet {
 public:
  using ServerPtr = std::shared_ptr<SharedServer>;

  /// `seed`: of the jitter.
  Fleet(Log& log, std::uint32_t seed) : log_(log), random_(seed) {}

  /// The record of a server; the same one for every pool that names the same endpoint. Shared by
  /// the pools of all workers and by who looks its name up, in threads of their own: it goes with
  /// the last of them.
  ServerPtr server(const std::string& name, const net::Endpoint& endpoint,
                   const HealthOptions& health);
  /// Stands in where a pool has no server, or one (at `endpoint`) that is not to be used: down,
  /// never probed, and not among servers().
  ServerPtr nobody(const std::string& name, const net::Endpoint& endpoint = {});
  /// Grows whenever a server goes down or comes back. Threads: any.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  /// Those that are in use now, in the order in which they came.
  std::vector<ServerPtr> servers() const;
  /// `on_doubt` is told, in the thread it happens in, of the first incident after a take_doubt().
  /// Before the workers' threads start.
  void set_on_doubt(std::function<void()> on_doubt) { on_doubt_ = std::move(on_doubt); }

 private:
  friend class SharedServer;
  /// Timeouts this close to each other are one moment.
  static constexpr Duration kSameMoment = std::chrono::seconds(1);
  bool excuse_all(TimePoint now, Duration noticed_after);
  std::vector<ServerPtr> known() const;
  double draw() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }

  Log& log_;
  std::function<void()> on_doubt_;
  mutable std::mutex mutex_;
  std::minstd_rand random_;
  std::atomic<std::uint64_t> changes_{1};
  bool excused_ = false;  // all seemed to fail, and none has answered since
  std::vector<std::weak_ptr<SharedServer>> servers_;
};

}  // namespace mcsteady::upstream
