#include "mcsteady/admin/stats.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "admin/memcached_names.h"
#include "admin/stat_lines.h"
#include "mcsteady/net/event_loop.h"

namespace mcsteady::admin {

namespace {
using metrics::Snapshot;

constexpr std::string_view kPoolPrefix = "pool_";

/// All that are known, the one in use or not.
std::string in_words(const std::vector<net::Address>& addresses) {
  std::string text;
  for (const net::Address& address : addresses) text += (text.empty() ? "" : ",") + address.text();
  return text.empty() ? "unknown" : text;
}

std::int64_t microseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

void add_quantiles(StatLines& lines, const std::string& name,
                   const metrics::Histogram::Counts& of) {
  lines.add(name + "_p50_us", microseconds(metrics::quantile(of, 0.5)));
  lines.add(name + "_p99_us", microseconds(metrics::quantile(of, 0.99)));
  lines.add(name + "_max_us", microseconds(metrics::quantile(of, 1.0)));
}

/// Ours, of the proxy as a whole.
void add_own(StatLines& lines, const Snapshot& now) {
  for (const auto& [name, value] : now.counters) {
    if (name.subject.empty()) lines.add("proxy_" + name.name, value);
  }
  for (const auto& [name, value] : now.histograms) {
    if (name.subject.empty()) add_quantiles(lines, "proxy_" + name.name, value);
  }
}

/// Of all servers together.
void add_totals(StatLines& lines, const Snapshot& now) {
  std::string last;
  for (const auto& [name, value] : now.counters) {
    if (name.subject.empty() || name.name == last) continue;
    lines.add(name.name, now.total(name.name));
    last = name.name;
  }
}

/// As memcached answers a name it does not know. A longer line is too long for memccapable.
constexpr std::string_view kUnknown = "ERROR\r\n";
}  // namespace

Stats::Stats(const StatsFacts& facts, const Clock& clock, const metrics::Registry& registry,
             const net::MemoryBudget& memory, const upstream::Fleet& fleet)
    : facts_(facts), clock_(clock), registry_(registry), memory_(memory), fleet_(fleet) {}

std::string Stats::stats(std::string_view arguments) {
  if (arguments.empty()) return general();
  if (arguments == "settings") return settings();
  if (arguments == "items") return "END\r\n";
  if (arguments == "slabs") return "STAT active_slabs 0\r\nSTAT total_malloced 0\r\nEND\r\n";
  if (arguments == "sizes") return "STAT sizes_status disabled\r\nEND\r\n";
  if (arguments == "conns") return connections();
  if (arguments == "reset") return reset();
  if (arguments == "proxy") return proxy();
  if (arguments == "servers") return servers();
  if (arguments == "health") return health();
  if (arguments == "pools") return pools();
  return std::string(kUnknown);
}

std::string Stats::general() const {
  const Snapshot now = since_reset();
  const auto seconds = [](auto duration) {
    return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  };
  StatLines lines;
  lines.add("pid", getpid());
  lines.add("uptime", seconds(clock_.now() - facts_.started_at));
  lines.add("time", seconds(std::chrono::system_clock::now().time_since_epoch()));
  lines.add("version", facts_.version);
  lines.add("libevent", net::event_library_version());
  lines.add("pointer_size", sizeof(void*) * 8);
  add_cpu_times(lines);
  lines.add("threads", facts_.workers);
  lines.add("max_connections", facts_.clients_max);
  add_connection_names(lines, now);
  add_command_names(lines, now);
  lines.add("limit_maxbytes", memory_.ceiling());
  lines.add("bytes", memory_.used());
  lines.add("memory_peak", memory_.peak());
  add_store_names(lines);
  add_own(lines, now);
  add_totals(lines, now);
  return lines.end();
}

std::string Stats::proxy() const {
  const Snapshot now = since_reset();
  StatLines lines;
  add_own(lines, now);
  add_totals(lines, now);
  return lines.end();
}

std::string Stats::settings() const {
  StatLines lines;
  for (const auto& [name, value] : facts_.settings) lines.add(name, value);
  return lines.end();
}

std::string Stats::reset() {
  Snapshot now = registry_.snapshot();
  const std::lock_guard lock(mutex_);
  at_reset_ = std::move(now);
  return "RESET\r\n";
}

Snapshot Stats::since_reset() const {
  Snapshot now = registry_.snapshot();
  const std::lock_guard lock(mutex_);
  now.subtract(at_reset_);
  return now;
}

std::string Stats::connections() const {
  StatLines lines;
  for (std::size_t i = 0; i < facts_.listeners.size(); ++i) {
    const std::string prefix = std::to_string(i) + ":";
    const net::Endpoint& at = facts_.listeners[i];
    lines.add(prefix + "addr", (at.is_unix() ? "unix:" : "tcp:") + at.text());
    lines.add(prefix + "state", "conn_listening");
  }
  return lines.end();
}

/// What each server's state rests on.
std::string Stats::health() const {
  const Snapshot now = since_reset();
  const auto servers = fleet_.servers();
  StatLines lines;
  using State = upstream::Health::State;
  for (const State state : {State::Up, State::Down, State::Trial}) {
    const auto is_so = [&](const auto& server) { return server->state() == state; };
    lines.add(std::string("servers_") + to_string(state), std::ranges::count_if(servers, is_so));
  }
  for (const auto& server : servers) {
    const std::string prefix = server->name() + ":";
    const upstream::SharedServer::Record record = server->record();
    lines.add(prefix + "state", to_string(record.state));
    lines.add(prefix + "incidents_in_a_row", record.failures);
    if (record.probe_at) {
      const Duration left = std::max(*record.probe_at - clock_.now(), Duration{0});
      lines.add(prefix + "next_probe_in_us", microseconds(left));
    }
    for (const char* name :
         {"incidents", "down_marks", "probes", "timeouts_recovered", "waits_granted"}) {
      lines.add(prefix + name, now.counter(std::string("server_") + name, server->name()));
    }
  }
  return lines.end();
}

/// Of pools whose servers are found by name.
std::string Stats::pools() const {
  const Snapshot now = since_reset();
  StatLines lines;
  const auto add_all = [&](const auto& metrics) {
    for (const auto& [name, value] : metrics) {
      if (!name.name.starts_with(kPoolPrefix)) continue;
      lines.add(name.subject + ":" + name.name.substr(kPoolPrefix.size()), value);
    }
  };
  add_all(now.counters);
  add_all(now.gauges);
  return lines.end();
}

std::string Stats::servers() const {
  const Snapshot now = since_reset();
  StatLines lines;
  for (const auto& server : fleet_.servers()) {
    const std::string prefix = server->name() + ":";
    lines.add(prefix + "state", to_string(server->state()));
    lines.add(prefix + "address", in_words(server->addresses()));
    for (const auto& [name, value] : now.counters) {
      if (name.subject == server->name()) lines.add(prefix + name.name.substr(7), value);
    }
    for (const auto& [name, value] : now.gauges) {
      if (name.subject == server->name()) lines.add(prefix + name.name.substr(7), value);
    }
    for (const auto& [name, value] : now.histograms) {
      if (name.subject == server->name()) add_quantiles(lines, prefix + name.name.substr(7), value);
    }
  }
  return lines.end();
}

}  // namespace mcsteady::admin
