#pragma once

#include <string_view>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/proxy/worker_metrics.h"

namespace mcsteady::proxy {

/// Counts what a server said to `command`, under the name that memcached's own statistics have for
/// it: hits and misses of delete, incr, decr, touch, gat and cas, in their classic and meta forms.
/// An mg that touches what it finds is a gat; one that finds nothing is a get like any other.
/// `verb`: of the command. Source: memcached 1.6.18, by comparing what its statistics say.
void count_outcome(WorkerMetrics& metrics, protocol::Verb verb, std::string_view command,
                   protocol::ReplyCode code);

}  // namespace mcsteady::proxy
