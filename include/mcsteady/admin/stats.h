#pragma once

#include <string>
#include <string_view>

#include "mcsteady/base/clock.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/net/block.h"
#include "mcsteady/proxy/worker.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::admin {

struct StatsFacts {
  std::string version;
  int workers = 1;
  std::size_t clients_max = 0;
  TimePoint started_at{};
};

/// Answers `stats`: names that memcached uses where we count the same thing (so that exporters find
/// them), then our own. `stats servers`: the same of each server, as `<server>:<name>`; `stats
/// pools`: of each pool whose servers are found by name, as `<pool>:<name>`.
/// Borrows all of it. Threads: any.
class Stats final : public proxy::StatsSource {
 public:
  Stats(const StatsFacts& facts, const Clock& clock, const metrics::Registry& registry,
        const net::MemoryBudget& memory, const upstream::Fleet& fleet);
  std::string stats(std::string_view arguments) override;

 private:
  std::string general() const;
  std::string servers() const;
  std::string pools() const;

  const StatsFacts facts_;
  const Clock& clock_;
  const metrics::Registry& registry_;
  const net::MemoryBudget& memory_;
  const upstream::Fleet& fleet_;
};

}  // namespace mcsteady::admin
