#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcsteady/base/log.h"
#include "mcsteady/discovery/options.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/resolver.h"
#include "mcsteady/routing/membership.h"
#include "mcsteady/routing/options.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::discovery {

/// Knows where every server is, and who belongs to each pool, from names: those of listed servers,
/// and those that a pool has instead of a list. Workers never look a name up; they are handed what
/// is found here.
/// Owner: main. Borrows everything. Thread: its loop's; take care to call look_at_doubts() there.
class Directory {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// `members` is for every worker's pool of that name (routing::Pool::change). Never empty.
    virtual void on_members(const std::string& pool, routing::MembershipPtr members) = 0;
    /// Servers that workers use have other addresses than before.
    virtual void on_addresses_changed() = 0;
  };

  /// `registry` has its metrics for good: it is asked no more when this is destroyed.
  Directory(net::EventLoop& loop, net::Resolver& resolver, upstream::Fleet& fleet, Log& log,
            metrics::Registry& registry, const TtlLimits& limits, Listener& listener);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  /// Watches the names of a pool's servers, or its source.
  void add(const routing::PoolOptions& pool);
  /// Servers have had incidents (upstream::Fleet::set_on_doubt): their names are looked up soon.
  void look_at_doubts();
  /// Everything has been answered for, or has failed, once.
  bool is_settled() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mcsteady::discovery
