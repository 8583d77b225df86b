#include "mcsteady/upstream/shared_server.h"

#include <cstring>

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
}  // namespace

SharedServer::SharedServer(Fleet& fleet, std::string name, net::Endpoint endpoint,
                           const HealthOptions& health)
    : fleet_(fleet), name_(std::move(name)), endpoint_(std::move(endpoint)), health_(health) {}

SharedServer::Consequence SharedServer::on_incident(const Incident& incident, TimePoint now) {
  const std::lock_guard lock(fleet_.mutex_);
  if (is_silence(incident.cause)) silent_at_ = now;
  if (failed_at_ && incident.began < *failed_at_) return {};
  failed_at_ = now;
  if (health_.on_the_edge() && is_silence(incident.cause) && fleet_.all_seem_to_fail(now)) {
    if (!fleet_.excused_) {
      fleet_.log_.warn(
          "all servers seem to fail at once, so the fault is ours: they are kept up",
          {{"servers", fleet_.servers_.size()}, {"loop_lag", milliseconds(incident.loop_lag)}});
    }
    fleet_.excused_ = true;
    clean_.store(false, std::memory_order_relaxed);
    return {.counted = true, .probe_at = {}};
  }
  const bool was_down = health_.state() == Health::State::Down;
  health_.on_incident(now, fleet_.draw());
  publish();
  if (was_down || health_.state() != Health::State::Down) return {.counted = true, .probe_at = {}};
  log_down(incident, now);
  return {.counted = true, .probe_at = health_.probe_at()};
}

void SharedServer::on_probe_answered() {
  const std::lock_guard lock(fleet_.mutex_);
  health_.on_probe_answered();
  silent_at_.reset();
  publish();
  fleet_.log_.info("server is back on trial", {{"server", name_}, {"evidence", "probe answered"}});
}

TimePoint SharedServer::on_probe_failed(Failure cause, TimePoint now) {
  const std::lock_guard lock(fleet_.mutex_);
  health_.on_probe_failed(now, fleet_.draw());
  fleet_.log_.info("server stays down",
                   {{"server", name_},
                    {"probe", to_string(cause)},
                    {"next_probe_in", milliseconds(*health_.probe_at() - now)}});
  return *health_.probe_at();
}

void SharedServer::clear_record() {
  const std::lock_guard lock(fleet_.mutex_);
  const bool was_on_trial = health_.state() == Health::State::Trial;
  health_.on_answered();
  failed_at_.reset();
  silent_at_.reset();
  publish();
  if (was_on_trial) {
    fleet_.log_.info("server is up", {{"server", name_}, {"evidence", "request answered"}});
  }
  if (fleet_.excused_) {
    fleet_.excused_ = false;
    fleet_.log_.info("servers answer again", {{"server", name_}});
  }
}

void SharedServer::publish() {
  state_.store(health_.state(), std::memory_order_relaxed);
  // While Down only a probe changes anything, so an answer on an old connection need not ask.
  const bool no_record = health_.failures() == 0 && !failed_at_ && !silent_at_;
  const Health::State state = health_.state();
  clean_.store(state == Health::State::Down || (state == Health::State::Up && no_record),
               std::memory_order_relaxed);
}

void SharedServer::log_down(const Incident& incident, TimePoint now) const {
  const TimeoutEvidence seen = incident.timeout.value_or(TimeoutEvidence{});
  const auto tcp = seen.transport.tcp.value_or(net::TransportEvidence::Tcp{});
  fleet_.log_.warn(
      "server is down",
      {{"server", name_},
       {"cause", to_string(incident.cause)},
       {"incidents", health_.failures()},
       {"retry_in", milliseconds(*health_.probe_at() - now)},
       {"timer_late", milliseconds(seen.timer_late_by)},
       {"stalled", milliseconds(seen.stalled)},
       {"loop_lag", milliseconds(incident.loop_lag)},
       {"replies_owed", incident.replies_owed},
       {"bytes_unread", incident.bytes_unread + seen.transport.bytes_unread},
       {"bytes_unsent", seen.output_unsent.value + seen.transport.bytes_unsent},
       {"tcp_unacked", tcp.segments_unacked},
       {"tcp_retransmits", tcp.retransmits},
       {"tcp_rtt", milliseconds(tcp.rtt)},
       {"error", incident.error_number != 0 ? std::strerror(incident.error_number) : "none"}});
}

std::optional<net::Address> SharedServer::address() const {
  const std::lock_guard lock(fleet_.mutex_);
  return address_;
}

void SharedServer::set_address(const net::Address& address) {
  const std::lock_guard lock(fleet_.mutex_);
  address_ = address;
}

SharedServer& Fleet::server(const std::string& name, const net::Endpoint& endpoint,
                            const HealthOptions& health) {
  const std::lock_guard lock(mutex_);
  for (const auto& known : servers_) {
    if (known->endpoint() == endpoint) return *known;
  }
  servers_.push_back(std::make_unique<SharedServer>(*this, name, endpoint, health));
  return *servers_.back();
}

bool Fleet::all_seem_to_fail(TimePoint now) const {
  std::size_t silent = 0;
  for (const auto& server : servers_) {
    if (server->health_.state() == Health::State::Down) continue;
    if (!server->silent_at_ || now - *server->silent_at_ > kSameMoment) return false;
    ++silent;
  }
  return silent >= 2;  // one server alone says nothing of the others
}

}  // namespace mcsteady::upstream
