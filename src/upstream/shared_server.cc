#include "mcsteady/upstream/shared_server.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mcsteady::upstream {

namespace {
std::string milliseconds(Duration duration) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  std::string text = std::to_string(micros / 1000);
  const std::string fraction = std::to_string(1000 + micros % 1000);
  return text + "." + fraction.substr(1) + "ms";
}

/// Refused and lost connections are somebody's answer. Silence may be our own deafness.
bool is_silence(Failure cause) {
  return cause == Failure::ServerLate || cause == Failure::NetworkLost ||
         cause == Failure::ConnectTimeout || cause == Failure::ConnectFailed;
}

// How long after its time a probe that nobody has made is somebody else's to make.
constexpr Duration kProbeOverdue = std::chrono::seconds(5);

bool is_connect_failure(Failure cause) {
  return cause == Failure::ConnectRefused || cause == Failure::ConnectTimeout ||
         cause == Failure::ConnectFailed;
}
}  // namespace

SharedServer::SharedServer(Fleet& fleet, std::string name, net::Endpoint endpoint,
                           const HealthOptions& health)
    : fleet_(fleet), name_(std::move(name)), endpoint_(std::move(endpoint)), health_(health) {}

// Lines are written when the lock is free again: a log that blocks must not block every worker.

SharedServer::Consequence SharedServer::on_incident(const Incident& incident, TimePoint now) {
  doubt_addresses();
  std::unique_lock lock(fleet_.mutex_);
  if (is_silence(incident.cause)) silent_at_ = now;
  if (is_connect_failure(incident.cause)) try_next_address();
  if (failed_at_ && incident.began < *failed_at_) return {};
  failed_at_ = now;
  if (health_.on_the_edge() && is_silence(incident.cause) &&
      fleet_.excuse_all(now, now - incident.began)) {
    const bool first = !std::exchange(fleet_.excused_, true);
    const std::size_t servers = fleet_.known().size();
    clean_.store(false, std::memory_order_relaxed);
    lock.unlock();
    if (first) {
      fleet_.log_.warn("all servers seem to fail at once, so the fault is ours: they are kept up",
                       {{"servers", servers}, {"loop_lag", milliseconds(incident.loop_lag)}});
    }
    return {.verdict = Verdict::Excused, .probe_at = {}};
  }
  const bool was_down = health_.state() == Health::State::Down;
  health_.on_incident(now, fleet_.draw());
  publish();
  const auto probe_at = health_.probe_at();
  const int failures = health_.failures();
  lock.unlock();
  if (was_down || !probe_at) return {.verdict = Verdict::Counted, .probe_at = {}};
  log_down(incident, failures, *probe_at - now);
  return {.verdict = Verdict::Counted, .probe_at = probe_at};
}

void SharedServer::on_excused_wait(TimeoutVerdict verdict, const TimeoutEvidence& evidence,
                                   TimePoint now) {
  constexpr TimePoint::rep kQuiet = Duration(std::chrono::seconds(1)).count();
  const TimePoint::rep at = now.time_since_epoch().count();
  TimePoint::rep last = excuse_logged_at_.load(std::memory_order_relaxed);
  if (at - last < kQuiet || !excuse_logged_at_.compare_exchange_strong(last, at)) return;
  const bool recovered = verdict == TimeoutVerdict::Recovered;
  fleet_.log_.info(recovered ? "a reply was here when its wait ran out: recovered"
                             : "a wait ran out while we stalled: the server gets a fresh one",
                   {{"server", name_},
                    {"bytes_found", evidence.found_unread.value},
                    {"timer_late", milliseconds(evidence.timer_late_by)},
                    {"stalled", milliseconds(evidence.stalled)}});
}

void SharedServer::on_probe_answered() {
  std::unique_lock lock(fleet_.mutex_);
  if (health_.state() != Health::State::Down) return;
  health_.on_probe_answered();
  silent_at_.reset();
  publish();
  lock.unlock();
  fleet_.log_.info("server is back on trial", {{"server", name_}, {"evidence", "probe answered"}});
}

std::optional<TimePoint> SharedServer::on_probe_failed(Failure cause, TimePoint now) {
  std::unique_lock lock(fleet_.mutex_);
  if (is_connect_failure(cause)) try_next_address();
  health_.on_probe_failed(now, fleet_.draw());
  publish();
  const auto probe_at = health_.probe_at();
  lock.unlock();
  doubt_addresses();
  if (!probe_at) return std::nullopt;
  fleet_.log_.info("server stays down", {{"server", name_},
                                         {"probe", to_string(cause)},
                                         {"next_probe_in", milliseconds(*probe_at - now)}});
  return probe_at;
}

void SharedServer::doubt_addresses() {
  if (!doubted_.exchange(true, std::memory_order_relaxed) && fleet_.on_doubt_) fleet_.on_doubt_();
}

bool SharedServer::take_over_probe(TimePoint now) {
  TimePoint::rep overdue_at = probe_overdue_at_.load(std::memory_order_relaxed);
  const TimePoint::rep at = now.time_since_epoch().count();
  if (at < overdue_at) return false;
  const TimePoint::rep again_at = at + kProbeOverdue.count();
  return probe_overdue_at_.compare_exchange_strong(overdue_at, again_at);
}

void SharedServer::clear_record() {
  std::unique_lock lock(fleet_.mutex_);
  const bool was_on_trial = health_.state() == Health::State::Trial;
  health_.on_answered();
  failed_at_.reset();
  silent_at_.reset();
  publish();
  const bool was_excused = std::exchange(fleet_.excused_, false);
  lock.unlock();
  if (was_on_trial) {
    fleet_.log_.info("server is up", {{"server", name_}, {"evidence", "request answered"}});
  }
  if (was_excused) fleet_.log_.info("servers answer again", {{"server", name_}});
}

void SharedServer::publish() {
  const Health::State before = state_.exchange(health_.state(), std::memory_order_relaxed);
  const bool was_down = before == Health::State::Down;
  if (was_down != is_down()) fleet_.changes_.fetch_add(1, std::memory_order_release);
  const auto probe_at = health_.probe_at();
  probe_overdue_at_.store(
      probe_at ? (*probe_at + kProbeOverdue).time_since_epoch().count() : kNever,
      std::memory_order_relaxed);
  // While Down only a probe changes anything, so an answer on an old connection need not ask.
  const bool no_record = health_.failures() == 0 && !failed_at_ && !silent_at_;
  const Health::State state = health_.state();
  clean_.store(state == Health::State::Down || (state == Health::State::Up && no_record),
               std::memory_order_relaxed);
}

void SharedServer::log_down(const Incident& incident, int failures, Duration retry_in) const {
  const TimeoutEvidence seen = incident.timeout.value_or(TimeoutEvidence{});
  const auto tcp = seen.transport.tcp.value_or(net::TcpEvidence{});
  fleet_.log_.warn("server is down",
                   {{"server", name_},
                    {"cause", to_string(incident.cause)},
                    {"incidents", failures},
                    {"retry_in", milliseconds(retry_in)},
                    {"timer_late", milliseconds(seen.timer_late_by)},
                    {"stalled", milliseconds(seen.stalled)},
                    {"loop_lag", milliseconds(incident.loop_lag)},
                    {"replies_owed", incident.replies_owed},
                    {"bytes_unread", incident.bytes_unread + seen.transport.bytes_unread},
                    {"bytes_unsent", seen.output_unsent.value + seen.transport.bytes_unsent},
                    {"tcp_unacked", tcp.segments_unacked},
                    {"tcp_retransmits", tcp.retransmits},
                    {"tcp_rtt", milliseconds(tcp.rtt)},
                    {"error", !incident.reason.empty()     ? incident.reason
                              : incident.error_number != 0 ? std::strerror(incident.error_number)
                                                           : "none"}});
}

SharedServer::Record SharedServer::record() const {
  const std::lock_guard lock(fleet_.mutex_);
  return {.state = health_.state(), .failures = health_.failures(), .probe_at = health_.probe_at()};
}

std::optional<net::Address> SharedServer::address() const {
  const std::lock_guard lock(fleet_.mutex_);
  if (addresses_.empty()) return std::nullopt;
  return addresses_[current_address_];
}

std::vector<net::Address> SharedServer::addresses() const {
  const std::lock_guard lock(fleet_.mutex_);
  return addresses_;
}

bool SharedServer::has_address(const net::Address& address) const {
  const std::lock_guard lock(fleet_.mutex_);
  return std::ranges::find(addresses_, address) != addresses_.end();
}

bool SharedServer::set_addresses(std::vector<net::Address> addresses) {
  const std::lock_guard lock(fleet_.mutex_);
  const bool same = std::ranges::is_permutation(addresses, addresses_);
  if (same) return false;
  std::size_t current = 0;
  if (!addresses_.empty()) {
    const auto kept = std::ranges::find(addresses, addresses_[current_address_]);
    if (kept != addresses.end()) current = static_cast<std::size_t>(kept - addresses.begin());
  }
  addresses_ = std::move(addresses);
  current_address_ = current;
  return true;
}

void SharedServer::try_next_address() {
  if (!addresses_.empty()) current_address_ = (current_address_ + 1) % addresses_.size();
}

Fleet::ServerPtr Fleet::server(const std::string& name, const net::Endpoint& endpoint,
                               const HealthOptions& health) {
  const std::lock_guard lock(mutex_);
  std::erase_if(servers_, [](const auto& server) { return server.expired(); });
  for (const ServerPtr& known : known()) {
    if (known->endpoint() == endpoint) return known;
  }
  auto made = std::make_shared<SharedServer>(*this, name, endpoint, health);
  servers_.push_back(made);
  return made;
}

Fleet::ServerPtr Fleet::nobody(const std::string& name, const net::Endpoint& endpoint) {
  auto made = std::make_shared<SharedServer>(*this, name, endpoint, HealthOptions{});
  made->nobody_ = true;
  made->state_ = Health::State::Down;
  return made;
}

std::vector<Fleet::ServerPtr> Fleet::servers() const {
  const std::lock_guard lock(mutex_);
  return known();
}

std::vector<Fleet::ServerPtr> Fleet::known() const {
  std::vector<ServerPtr> known;
  known.reserve(servers_.size());
  for (const auto& server : servers_) {
    if (ServerPtr in_use = server.lock()) known.push_back(std::move(in_use));
  }
  return known;
}

/// `noticed_after`: how long the incident took to be one, which is how far apart the incidents of
/// one moment can be.
bool Fleet::excuse_all(TimePoint now, Duration noticed_after) {
  const TimePoint since = now - std::max(kSameMoment, 2 * noticed_after);
  const auto silent = [&](const SharedServer& s) { return s.silent_at_ && *s.silent_at_ >= since; };
  std::size_t silent_servers = 0;
  const std::vector<ServerPtr> servers = known();
  for (const auto& server : servers) {
    if (silent(*server)) {
      ++silent_servers;
    } else if (server->health_.state() != Health::State::Down) {
      return false;  // somebody answers, or was not asked
    }
  }
  if (silent_servers < 2) return false;  // one server alone says nothing of the others
  for (const auto& server : servers) {
    if (!silent(*server) || server->health_.state() != Health::State::Down) continue;
    server->health_.excuse();
    server->publish();
  }
  return true;
}

}  // namespace mcsteady::upstream
