#include "admin/memcached_names.h"

#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <initializer_list>

namespace mcsteady::admin {

namespace {
using metrics::Snapshot;

std::uint64_t sum(const Snapshot& now, std::initializer_list<const char*> names) {
  std::uint64_t total = 0;
  for (const char* name : names) total += now.counter(name);
  return total;
}

/// Seconds with six digits behind the point.
std::string in_seconds(const timeval& time) {
  const std::string micro = std::to_string(time.tv_usec);
  return std::to_string(time.tv_sec) + "." + std::string(6 - micro.size(), '0') + micro;
}
}  // namespace

void add_connection_names(StatLines& lines, const Snapshot& now) {
  lines.add("curr_connections", now.gauge("clients"));
  lines.add("total_connections", now.counter("clients_accepted"));
  lines.add("rejected_connections", now.counter("clients_closed_too_many"));
  lines.add("connection_structures", now.gauge("clients"));
  lines.add("accepting_conns", 1);
  // A client too many is told so and closed; listening never stops.
  lines.add("listen_disabled_num", 0);
  lines.add("time_in_listen_disabled_us", 0);
  lines.add("conn_yields", now.counter("yields"));
}

void add_command_names(StatLines& lines, const Snapshot& now) {
  // What gat finds, memcached counts as touched and not as got.
  const std::uint64_t got = now.counter("get_hits") - now.counter("gat_hits");
  const std::uint64_t missed = now.counter("get_misses") - now.counter("gat_misses");
  const std::uint64_t touched = sum(now, {"touch_hits", "gat_hits"});
  const std::uint64_t not_touched = sum(now, {"touch_misses", "gat_misses"});
  lines.add("cmd_get", got + missed);
  lines.add("cmd_set", sum(now, {"cmd_set", "cmd_add", "cmd_replace", "cmd_append", "cmd_prepend",
                                 "cmd_cas", "cmd_ms"}));
  lines.add("cmd_flush", now.counter("cmd_flush_all"));
  lines.add("cmd_touch", touched + not_touched);
  lines.add("cmd_meta", sum(now, {"cmd_mg", "cmd_ms", "cmd_md", "cmd_ma", "cmd_me", "cmd_mn"}));
  lines.add("get_hits", got);
  lines.add("get_misses", missed);
  // A server does not say why it has no item: those that expired are among the misses.
  lines.add("get_expired", 0);
  lines.add("get_flushed", 0);
  for (const char* name : {"delete_misses", "delete_hits", "incr_misses", "incr_hits",
                           "decr_misses", "decr_hits", "cas_misses", "cas_hits", "cas_badval"}) {
    lines.add(name, now.counter(name));
  }
  lines.add("touch_hits", touched);
  lines.add("touch_misses", not_touched);
  lines.add("store_too_large", now.counter("over_limit_value"));
  lines.add("store_no_memory", 0);
  lines.add("auth_cmds", sum(now, {"auth_accepted", "auth_failures"}));
  lines.add("auth_errors", now.counter("auth_failures"));
  lines.add("bytes_read", now.counter("bytes_read"));
  lines.add("bytes_written", now.counter("bytes_written"));
}

void add_store_names(StatLines& lines) {
  constexpr std::array kNames = {"curr_items",
                                 "total_items",
                                 "evictions",
                                 "reclaimed",
                                 "expired_unfetched",
                                 "evicted_unfetched",
                                 "evicted_active",
                                 "crawler_reclaimed",
                                 "lru_crawler_starts",
                                 "crawler_items_checked",
                                 "lrutail_reflocked",
                                 "moves_to_cold",
                                 "moves_to_warm",
                                 "moves_within_lru",
                                 "direct_reclaims",
                                 "slabs_moved",
                                 "hash_power_level",
                                 "hash_bytes",
                                 "hash_is_expanding",
                                 "total_malloced",
                                 "lru_maintainer_juggles"};
  for (const char* name : kNames) lines.add(name, 0);
}

void add_cpu_times(StatLines& lines) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  lines.add("rusage_user", in_seconds(used.ru_utime));
  lines.add("rusage_system", in_seconds(used.ru_stime));
}

}  // namespace mcsteady::admin
