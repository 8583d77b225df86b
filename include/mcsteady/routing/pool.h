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

  /// The index of the key's server, for server(). Whether it is up is another question. `key`: its
  /// bytes, or as it is written on the wire, as places_bytes() says.
  std::size_t place(std::string_view key) const {
    return members_.size() == 1 ? members_.front() : members_[membership_->placement->place(key)];
  }
  /// Whether a key that is written in base64 is placed by the bytes that it stands for.
  bool places_bytes() const { return places_bytes_; }
  /// `index`: from place() or members(), until what was submitted to it has ended.
  upstream::Server& server(std::size_t index) { return *entries_[index].server; }
  /// The indices of all members, in the order that the placement numbers them.
  std::span<const std::size_t> members() const { return members_; }
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
  void add_nobody(const PoolOptions& options);
  std::size_t entry_of(const PoolServer& member);
  std::size_t add(const PoolServer& member);
  void remove_gone();
  void remove(Entry& entry);

  const std::string name_;
  const protocol::DownPolicy on_down_;
  const bool places_bytes_;
  const upstream::Context context_;
  upstream::Fleet& fleet_;
  metrics::Registry& registry_;
  MembershipPtr membership_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> members_;  // never empty
  std::unique_ptr<net::Timer> linger_timer_;
};

}  // namespace mcsteady::routing
