#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "mcsteady/metrics/registry.h"
#include "mcsteady/placement/placement.h"
#include "mcsteady/routing/options.h"
#include "mcsteady/upstream/server.h"

namespace mcsteady::routing {

/// The servers that share one placement of keys, as one worker uses them.
/// Owner: proxy::Worker. Thread: its worker's.
class Pool {
 public:
  /// Registers each server's metrics under its name. `registry` outlives the pool's last use.
  Pool(const PoolOptions& options, const upstream::Context& context, upstream::Fleet& fleet,
       metrics::Registry& registry);

  /// The position of the key's server, for server(). Whether it is up is another question.
  std::size_t place(std::string_view key) const {
    return servers_.size() == 1 ? 0 : placement_->place(key);
  }
  upstream::Server& server(std::size_t index) { return *servers_[index]; }
  std::size_t size() const { return servers_.size(); }
  protocol::DownPolicy on_down() const { return on_down_; }

 private:
  const protocol::DownPolicy on_down_;
  std::unique_ptr<const placement::Placement> placement_;
  std::vector<std::unique_ptr<upstream::Server>> servers_;
};

}  // namespace mcsteady::routing
