#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/admin/settings.h"
#include "mcsteady/base/clock.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/net/address.h"
#include "mcsteady/net/block.h"
#include "mcsteady/proxy/worker.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::admin {

struct StatsFacts {
  std::string version;
  int workers = 1;
  std::size_t clients_max = 0;
  TimePoint started_at{};
  Settings settings{};
  std::vector<net::Endpoint> listeners{};
};

/// Answers `stats`: names that memcached uses where we count the same thing (so that exporters find
/// them), then our own.
///   settings, items, slabs, sizes, conns: as a memcached that stores nothing (conns: the
///   listeners) reset: answers RESET; from then on `stats` counts from here. Nobody else's view
///   changes. proxy: our own counters servers: the same of each server, as `<server>:<name>`;
///   health: only what its state rests on pools: of each pool whose servers are found by name, as
///   `<pool>:<name>`
/// Borrows all of it. Threads: any.
class Stats final : public proxy::StatsSource {
 public:
  Stats(const StatsFacts& facts, const Clock& clock, const metrics::Registry& registry,
        const net::MemoryBudget& memory, const upstream::Fleet& fleet);
  std::string stats(std::string_view arguments) override;

 private:
  std::string general() const;
  std::string settings() const;
  std::string connections() const;
  std::string proxy() const;
  std::string servers() const;
  std::string health() const;
  std::string pools() const;
  std::string reset();
  metrics::Snapshot since_reset() const;

  const StatsFacts facts_;
  const Clock& clock_;
  const metrics::Registry& registry_;
  const net::MemoryBudget& memory_;
  const upstream::Fleet& fleet_;
  mutable std::mutex mutex_;
  metrics::Snapshot at_reset_;  // guarded by mutex_
};

}  // namespace mcsteady::admin
