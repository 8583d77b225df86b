#pragma once

#include "mcsteady/base/log.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/net/block.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::admin {

/// Writes what happened since the last time: a line for the proxy, and one for each server that
/// had anything to tell. Thread: its caller's.
class MetricsLine {
 public:
  MetricsLine(Log& log, const metrics::Registry& registry, const net::MemoryBudget& memory,
              const upstream::Fleet& fleet);
  void write();

 private:
  Log& log_;
  const metrics::Registry& registry_;
  const net::MemoryBudget& memory_;
  const upstream::Fleet& fleet_;
  metrics::Snapshot last_;
};

}  // namespace mcsteady::admin
