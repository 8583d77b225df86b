#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mcsteady/protocol/request.h"
#include "mcsteady/proxy/options.h"
#include "mcsteady/routing/fastest.h"
#include "mcsteady/routing/pool.h"
#include "mcsteady/routing/route.h"
#include "mcsteady/routing/token_bucket.h"
#include "mcsteady/upstream/context.h"
#include "proxy/coalescer.h"
#include "proxy/failover.h"
#include "proxy/kept.h"
#include "proxy/replication.h"
#include "proxy/rewriting.h"
#include "proxy/side_requests.h"

namespace mcsteady::proxy {

/// Takes the requests of one worker to their servers, by the configured route.
/// Owner: Worker. Thread: its worker's.
class Router {
 public:
  /// One server of one pool.
  struct Target {
    routing::Pool* pool = nullptr;
    std::size_t index = 0;   // in the pool
    std::size_t number = 0;  // among the servers of all pools: less than server_count()
  };

  Router(const WorkerOptions& options, const upstream::Context& context, upstream::Fleet& fleet,
         metrics::Registry& registry);
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// Takes over an exchange for one key, as the client wrote it. Its owner hears of it like of one
  /// that went to a server (upstream::Server::submit), and may hear of it before this returns.
  void submit(upstream::ExchangePtr exchange, std::string_view key, std::size_t lane);

  /// The server that the key's request goes to as it is, with nothing to follow; unset: there is
  /// more to do than that, and it takes submit(). For requests of many keys, which are sent to a
  /// server together by submit_to().
  std::optional<Target> only_target(protocol::Verb verb, std::string_view key) const;
  static void submit_to(const Target& target, upstream::ExchangePtr exchange, std::size_t lane);

  /// All servers that a command without a key goes to. Empty: none; then `refusal` says so to the
  /// client, or nothing is wrong where it is empty too.
  struct Everyone {
    std::vector<Target> targets;
    std::string_view refusal;
  };
  Everyone everyone(protocol::Verb verb) const;
  /// To be called ahead of a command to everyone that changes what is there: what that lane's
  /// client has asked before goes out first.
  void let_go(std::size_t lane) { coalescer_.let_go_all(lane); }

  /// More than every Target::number.
  std::size_t server_count() const { return server_count_; }
  /// What clients are told where a request got no further than us.
  protocol::DownPolicy on_down() const { return pools_.front()->on_down(); }

  /// See routing::Pool.
  void change_pool(const std::string& name, const routing::MembershipPtr& membership);
  void on_addresses_changed();

 private:
  friend class Coalescer;
  friend class Failover;
  friend class Replication;
  friend class Rewriting;
  friend class SharedGet;
  /// Takes it where `route` says. `key` as written, `bytes` as it is meant.
  void send(const routing::Route& route, upstream::ExchangePtr exchange, std::string_view key,
            std::string_view bytes, std::size_t lane);
  /// The same command, without an owner. Null where the memory ceiling does not allow it.
  upstream::ExchangePtr copy_of(const upstream::Exchange& exchange);
  void give_back(Failover& failover) { failovers_.give_back(failover); }
  void give_back(Replication& replication) { replications_.give_back(replication); }
  void give_back(Rewriting& rewriting) { rewritings_.give_back(rewriting); }
  /// To all children, or to one after the other.
  void replicate(const routing::Route& route, upstream::ExchangePtr exchange, std::string_view key,
                 std::string_view bytes, std::size_t lane);
  /// The child that is asked first.
  std::size_t first_to_read(const routing::Route& replicate);
  /// A child has answered a read after so long, or has not.
  void on_read(const routing::Route& failover, std::size_t child, std::optional<Duration> took);
  void migrate(const routing::Route& route, upstream::ExchangePtr exchange, std::string_view key,
               std::string_view bytes, std::size_t lane);
  void send_shadow(const routing::Route& route, const upstream::Exchange& exchange,
                   std::string_view key, std::string_view bytes, std::size_t lane);
  /// Stores by `route`, for so long, what was read elsewhere by `asked`, unless it has that key.
  void fill(const routing::Route& route, std::chrono::seconds ttl, const upstream::Exchange& asked,
            const upstream::Item& item, std::string_view key, std::string_view bytes,
            std::size_t lane);
  /// Counts what it does not allow.
  bool allows(const routing::Route& rate_limit);
  std::chrono::system_clock::time_point wall_now() const {
    return wall_start_ + std::chrono::duration_cast<std::chrono::system_clock::duration>(
                             context_.loop.now() - start_);
  }

  void add_pools(const WorkerOptions& options, const upstream::Context& context,
                 upstream::Fleet& fleet, metrics::Registry& registry);
  const routing::Route& select(protocol::Verb verb, std::string_view key) const {
    const routing::Route& root = tree_.root();
    if (root.kind == routing::RouteOptions::Kind::Pool) return root;
    return routing::RouteTree::select(root, verb, key);
  }
  void number_servers();
  Target target(std::size_t pool, std::size_t index) const {
    return {pools_[pool].get(), index, first_number_[pool] + index};
  }

  const routing::RouteTree tree_;
  const upstream::Context context_;
  // The time of day is asked for once: what is measured from there is not set back or forth.
  const TimePoint start_;
  const std::chrono::system_clock::time_point wall_start_;
  const int workers_;
  std::unordered_map<const routing::Route*, routing::TokenBucket> buckets_;
  metrics::Counter over_rate_;
  std::unordered_map<const routing::Route*, routing::Fastest> fastest_;
  std::size_t spread_ = 0;  // counts the reads that are spread
  // Before the pools, whose exchanges they own.
  SideRequests side_requests_;
  Coalescer coalescer_;
  Kept<Failover, Router> failovers_{*this};
  Kept<Replication, Router> replications_{*this};
  Kept<Rewriting, Router> rewritings_{*this};
  std::vector<std::unique_ptr<routing::Pool>> pools_;  // as the tree numbers them; never empty
  std::vector<std::size_t> first_number_;              // of each pool's servers
  std::size_t server_count_ = 0;
};

}  // namespace mcsteady::proxy
