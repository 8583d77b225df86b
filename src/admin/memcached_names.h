#pragma once

#include "admin/stat_lines.h"
#include "mcsteady/metrics/registry.h"

namespace mcsteady::admin {

/// What memcached 1.6 calls by the same name, so that dashboards and exporters made for it go on.
/// What only a store can have (items, evictions, slabs, the crawler of its lists) is 0: nothing is
/// stored here. Source: memcached doc/protocol.txt, "General-purpose statistics".
void add_connection_names(StatLines& lines, const metrics::Snapshot& now);
void add_command_names(StatLines& lines, const metrics::Snapshot& now);
void add_store_names(StatLines& lines);
/// rusage_user and rusage_system.
void add_cpu_times(StatLines& lines);

}  // namespace mcsteady::admin
