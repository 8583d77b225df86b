#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/proxy/options.h"

namespace mcsteady::admin {

/// Names and values.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What `stats settings` tells: memcached's names for what is configured here, and what a client or
/// exporter may want to know of a memcached that this is not ("lru_crawler no").
/// Source: memcached doc/protocol.txt, "Settings statistics".
Settings settings_of(const proxy::WorkerOptions& options, int workers, ByteCount memory_max);

}  // namespace mcsteady::admin
