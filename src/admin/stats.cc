#include "mcsteady/admin/stats.h"

#include <unistd.h>

#include <chrono>

namespace mcsteady::admin {

namespace {
using metrics::Snapshot;

class StatLines {
 public:
  template <class Value>
  void add(std::string_view name, const Value& value) {
    text_ += "STAT ";
    text_ += name;
    text_ += ' ';
    if constexpr (std::is_arithmetic_v<Value>) {
      text_ += std::to_string(value);
    } else {
      text_ += value;
    }
    text_ += "\r\n";
  }
  std::string end() { return std::move(text_) + "END\r\n"; }

 private:
  std::string text_;
};

constexpr std::string_view kPoolPrefix = "pool_";

/// All that are known, the one in use or not.
std::string in_words(const std::vector<net::Address>& addresses) {
  std::string text;
  for (const net::Address& address : addresses) text += (text.empty() ? "" : ",") + address.text();
  return text.empty() ? "unknown" : text;
}

std::uint64_t sum(const Snapshot& now, std::initializer_list<const char*> names) {
  std::uint64_t total = 0;
  for (const char* name : names) total += now.counter(name);
  return total;
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

/// What memcached calls by the same name.
void add_memcached_names(StatLines& lines, const Snapshot& now) {
  lines.add("curr_connections", now.gauge("clients"));
  lines.add("total_connections", now.counter("clients_accepted"));
  lines.add("rejected_connections", now.counter("clients_closed_too_many"));
  lines.add("cmd_get", now.counter("get_keys"));
  lines.add("cmd_set", sum(now, {"cmd_set", "cmd_add", "cmd_replace", "cmd_append", "cmd_prepend",
                                 "cmd_cas", "cmd_ms"}));
  lines.add("cmd_flush", now.counter("cmd_flush_all"));
  lines.add("cmd_touch", sum(now, {"cmd_touch", "cmd_gat", "cmd_gats"}));
  lines.add("cmd_meta", sum(now, {"cmd_mg", "cmd_ms", "cmd_md", "cmd_ma", "cmd_me", "cmd_mn"}));
  lines.add("get_hits", now.counter("get_hits"));
  lines.add("get_misses", now.counter("get_misses"));
  lines.add("bytes_read", now.counter("bytes_read"));
  lines.add("bytes_written", now.counter("bytes_written"));
}
}  // namespace

Stats::Stats(const StatsFacts& facts, const Clock& clock, const metrics::Registry& registry,
             const net::MemoryBudget& memory, const upstream::Fleet& fleet)
    : facts_(facts), clock_(clock), registry_(registry), memory_(memory), fleet_(fleet) {}

std::string Stats::stats(std::string_view arguments) {
  if (arguments.empty()) return general();
  if (arguments == "servers") return servers();
  if (arguments == "pools") return pools();
  return "CLIENT_ERROR this proxy answers stats, stats servers and stats pools\r\n";
}

std::string Stats::general() const {
  const Snapshot now = registry_.snapshot();
  const auto seconds = [](auto duration) {
    return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  };
  StatLines lines;
  lines.add("pid", getpid());
  lines.add("uptime", seconds(clock_.now() - facts_.started_at));
  lines.add("time", seconds(std::chrono::system_clock::now().time_since_epoch()));
  lines.add("version", facts_.version);
  lines.add("pointer_size", sizeof(void*) * 8);
  lines.add("threads", facts_.workers);
  lines.add("max_connections", facts_.clients_max);
  lines.add("limit_maxbytes", memory_.ceiling());
  lines.add("bytes", memory_.used());
  add_memcached_names(lines, now);
  lines.add("memory_peak", memory_.peak());
  for (const auto& [name, value] : now.counters) {
    if (name.subject.empty()) lines.add("proxy_" + name.name, value);
  }
  for (const auto& [name, value] : now.histograms) {
    if (name.subject.empty()) add_quantiles(lines, "proxy_" + name.name, value);
  }
  // Of all servers together.
  std::string last;
  for (const auto& [name, value] : now.counters) {
    if (name.subject.empty() || name.name == last) continue;
    lines.add(name.name, now.total(name.name));
    last = name.name;
  }
  return lines.end();
}

/// Of pools whose servers are found by name.
std::string Stats::pools() const {
  const Snapshot now = registry_.snapshot();
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
  const Snapshot now = registry_.snapshot();
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
