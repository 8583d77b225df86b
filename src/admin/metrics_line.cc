#include "mcsteady/admin/metrics_line.h"

#include <chrono>

namespace mcsteady::admin {

namespace {
using metrics::Histogram;
using metrics::Snapshot;

/// Two snapshots, and what came between them.
struct Interval {
  const Snapshot& before;
  const Snapshot& now;

  std::uint64_t of(const std::string& name, const std::string& server = "") const {
    return now.counter(name, server) - before.counter(name, server);
  }
  std::uint64_t of_all(const std::string& name) const {
    return now.total(name) - before.total(name);
  }
  std::int64_t quantile_us(const std::string& name, const std::string& server, double share) const {
    const auto found = now.histograms.find({name, server});
    if (found == now.histograms.end()) return 0;
    Histogram::Counts counts = found->second;
    if (const auto old = before.histograms.find({name, server}); old != before.histograms.end()) {
      for (std::size_t i = 0; i < counts.size(); ++i) counts[i] -= old->second[i];
    }
    const Duration value = metrics::quantile(counts, share);
    return std::chrono::duration_cast<std::chrono::microseconds>(value).count();
  }
};

std::uint64_t commands(const Interval& interval) {
  std::uint64_t total = 0;
  for (const auto& [name, value] : interval.now.counters) {
    if (name.name.starts_with("cmd_")) total += value - interval.before.counter(name.name);
  }
  return total;
}

/// As "get:120,set:3": the commands that there were.
std::string commands_by_verb(const Interval& interval) {
  std::string text;
  for (const auto& [name, value] : interval.now.counters) {
    const std::uint64_t count = value - interval.before.counter(name.name);
    if (!name.name.starts_with("cmd_") || count == 0) continue;
    text += (text.empty() ? "" : ",") + name.name.substr(4) + ":" + std::to_string(count);
  }
  return text;
}

void write_proxy(Log& log, const Interval& interval, const net::MemoryBudget& memory) {
  log.info("metrics", {{"commands", commands(interval)},
                       {"by_command", commands_by_verb(interval)},
                       {"get_hits", interval.of("get_hits")},
                       {"get_misses", interval.of("get_misses")},
                       {"unavailable", interval.of("unavailable")},
                       {"refusals", interval.of("refusals")},
                       {"timeouts_recovered", interval.of_all("server_timeouts_recovered")},
                       {"waits_granted", interval.of_all("server_waits_granted")},
                       {"timeouts_server", interval.of_all("server_failed_server_late")},
                       {"timeouts_network", interval.of_all("server_failed_network_lost")},
                       {"timeouts_request", interval.of_all("server_failed_request_deadline")},
                       {"late_replies_dropped", interval.of_all("server_late_replies_dropped")},
                       {"retired", interval.of_all("server_connections_retired")},
                       {"incidents", interval.of_all("server_incidents")},
                       {"incidents_excused", interval.of_all("server_incidents_excused")},
                       {"down_marks", interval.of_all("server_down_marks")},
                       {"resends", interval.of_all("server_resends")},
                       {"request_p50_us", interval.quantile_us("request_time", "", 0.5)},
                       {"request_p99_us", interval.quantile_us("request_time", "", 0.99)},
                       {"loop_lag_max_us", interval.quantile_us("loop_lag", "", 1.0)},
                       {"bytes_read", interval.of("bytes_read")},
                       {"bytes_written", interval.of("bytes_written")},
                       {"clients", interval.now.gauge("clients")},
                       {"memory", memory.used()}});
}

void write_server(Log& log, const Interval& interval, const upstream::SharedServer& server) {
  const std::string& name = server.name();
  if (interval.of("server_requests", name) == 0 && !server.is_down()) return;
  const auto of = [&](const char* metric) { return interval.of(metric, name); };
  log.info("server metrics",
           {{"server", name},
            {"state", to_string(server.state())},
            {"requests", of("server_requests")},
            {"answered", of("server_answered")},
            {"timeouts_recovered", of("server_timeouts_recovered")},
            {"waits_granted", of("server_waits_granted")},
            {"late_replies_dropped", of("server_late_replies_dropped")},
            {"retired", of("server_connections_retired")},
            {"incidents", of("server_incidents")},
            {"incidents_excused", of("server_incidents_excused")},
            {"down_marks", of("server_down_marks")},
            {"resends", of("server_resends")},
            {"probes", of("server_probes")},
            {"probes_failed", of("server_probes_failed")},
            {"owed", interval.now.gauge("server_owed", name)},
            {"response_p50_us", interval.quantile_us("server_response_time", name, 0.5)},
            {"response_p99_us", interval.quantile_us("server_response_time", name, 0.99)},
            {"bytes_sent", of("server_bytes_sent")},
            {"bytes_received", of("server_bytes_received")},
            {"connections", interval.now.gauge("server_connections", name)}});
}
}  // namespace

MetricsLine::MetricsLine(Log& log, const metrics::Registry& registry,
                         const net::MemoryBudget& memory, const upstream::Fleet& fleet)
    : log_(log), registry_(registry), memory_(memory), fleet_(fleet) {
  last_ = registry_.snapshot();
}

void MetricsLine::write() {
  Snapshot now = registry_.snapshot();
  const Interval interval{last_, now};
  write_proxy(log_, interval, memory_);
  for (const auto& server : fleet_.servers()) write_server(log_, interval, *server);
  last_ = std::move(now);
}

}  // namespace mcsteady::admin
