#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/metrics/registry.h"
#include "mcsteady/routing/membership.h"
#include "mcsteady/routing/options.h"
#include "mcsteady/upstream/server.h"

namespace mcsteady::routing {

/// The servers that share one placement of keys, as one worker uses them. They may come and go
/// while it runs: a server's index stays its own from its coming until nothing of it is left, so
/// that what is in flight finishes. A pool that has no server yet has one that fails everything.
/// Owner: proxy::Worker. Thread: its worker's.
class Pool {
 public:
  /// How long a server that has left is kept beyond its last request, in case it comes back.
  static constexpr Duration kLinger = std::chrono::seconds(5);

  /// Registers each server's metrics under its name. `registry` outlives the pool's last use.
  Pool(const PoolOptions& options, const upstream::Context& context, upstream::Fleet& fleet,
       metrics::Registry& registry);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The index of the key's server, for server(). It is up, if the pool knows a way past those that
  /// are down and there is another; else that is another question. `key`: its bytes, or as it is
  /// written on the wire, as places_bytes() says.
  std::size_t place(std::string_view key) const {
    if (members_.size() == 1) return members_.front();
    if (past_down_ != PastDown::Stay) return place_past_down(key);
    return members_[membership_->placement->place(key)];
  }
  /// Whether a key that is written in base64 is placed by the bytes that it stands for.
  bool places_bytes() const { return places_bytes_; }
  /// `index`: from place() or members(), until what was submitted to it has ended.
  upstream::Server& server(std::size_t index) { return *entries_[index].server; }
  /// The indices of all members, in the order that the placement numbers them.
  std::span<const std::size_t> members() const { return members_; }
  /// Whether the member is to be used at all: not one that the configuration has marked down.
  bool is_used(std::size_t index) const {
    const upstream::SharedServer& shared = *entries_[index].shared;
    return !shared.is_nobody() || shared.endpoint() == net::Endpoint{};
  }
  /// More than every index of a server.
  std::size_t size() const { return entries_.size(); }
  protocol::DownPolicy on_down() const { return on_down_; }
  const std::string& name() const { return name_; }

  /// From here on keys are placed on these. Servers that stay keep their connections, those that
  /// leave finish what they have. One without servers changes nothing.
  void change(MembershipPtr membership);
  /// See upstream::Server.
  void on_addresses_changed();

 private:
  struct Entry {
    upstream::Fleet::ServerPtr shared;
    std::unique_ptr<upstream::Server> server;  // null: the index is free
    bool is_member = false;
  };
  /// Which members are up, as of `seen_changes` of the fleet's health. A cache, hence mutable.
  struct Liveness {
    std::uint64_t seen_changes = 0;
    std::vector<std::uint8_t> live;  // by position
    bool all_live = true;
    std::unique_ptr<const placement::Placement> remaining;  // Eject: of the live; null: as listed
  };
  std::size_t place_past_down(std::string_view key) const;
  void look_at_health() const;
  void add_nobody(const PoolOptions& options);
  std::size_t entry_of(const PoolServer& member);
  std::size_t add(const PoolServer& member);
  void remove_gone();
  void remove(Entry& entry);

  const std::string name_;
  const protocol::DownPolicy on_down_;
  const PastDown past_down_;
  const PlacementOptions placement_options_;
  const bool places_bytes_;
  const upstream::Context context_;
  upstream::Fleet& fleet_;
  metrics::Registry& registry_;
  MembershipPtr membership_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> members_;  // never empty
  mutable Liveness liveness_;
  std::unique_ptr<net::Timer> linger_timer_;
};

}  // namespace mcsteady::routing
