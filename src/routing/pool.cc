#include "mcsteady/routing/pool.h"

#include <algorithm>
#include <utility>

namespace mcsteady::routing {

Pool::Pool(const PoolOptions& options, const upstream::Context& context, upstream::Fleet& fleet,
           metrics::Registry& registry)
    : name_(options.name),
      on_down_(options.on_down),
      past_down_(options.past_down),
      placement_options_(options.placement),
      places_bytes_(options.placement.decodes_base64),
      context_(context),
      fleet_(fleet),
      registry_(registry) {
  // The metrics stay registered when the pool goes: a worker ends with the process.
  linger_timer_ = context_.loop.make_timer([this](TimePoint) { remove_gone(); });
  if (!options.servers.empty()) {
    change(make_membership(options.placement, options.servers));
  } else {
    add_nobody(options);
  }
}

void Pool::add_nobody(const PoolOptions& options) {
  Entry nobody;
  nobody.shared = fleet_.nobody(options.source.text());
  upstream::ServerOptions common = options.common;
  common.name = nobody.shared->name();
  nobody.server = std::make_unique<upstream::Server>(common, context_, *nobody.shared);
  nobody.server->metrics().register_in(registry_, common.name);
  nobody.is_member = true;
  entries_.push_back(std::move(nobody));
  members_ = {0};
}

void Pool::change(MembershipPtr membership) {
  if (membership->servers.empty()) return;
  for (Entry& entry : entries_) entry.is_member = false;
  members_.clear();
  for (const PoolServer& member : membership->servers) {
    const std::size_t index = entry_of(member);
    entries_[index].is_member = true;
    members_.push_back(index);
  }
  membership_ = std::move(membership);
  liveness_ = {};
  for (Entry& entry : entries_) {
    if (entry.server && !entry.is_member) {
      entry.server->leave();
      linger_timer_->set(context_.loop.now() + kLinger);
    }
  }
}

/// The server's own, where it is a member or has been not long ago.
std::size_t Pool::entry_of(const PoolServer& member) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.server || entry.shared->is_nobody() || !member.is_up) continue;
    if (!(entry.shared->endpoint() == member.server.endpoint)) continue;
    entry.server->join();
    return i;
  }
  return add(member);
}

std::size_t Pool::add(const PoolServer& member) {
  std::size_t index = 0;
  while (index < entries_.size() && entries_[index].server) ++index;
  if (index == entries_.size()) entries_.emplace_back();
  Entry& entry = entries_[index];
  const upstream::ServerOptions& options = member.server;
  entry.shared = member.is_up ? fleet_.server(options.name, options.endpoint, options.health)
                              : fleet_.nobody(options.name, options.endpoint);
  entry.server = std::make_unique<upstream::Server>(options, context_, *entry.shared);
  entry.server->metrics().register_in(registry_, options.name);
  return index;
}

std::size_t Pool::place_past_down(std::string_view key) const {
  if (liveness_.seen_changes != fleet_.changes() || liveness_.live.empty()) look_at_health();
  const placement::Placement& listed = *membership_->placement;
  if (liveness_.all_live) return members_[listed.place(key)];
  if (past_down_ == PastDown::Eject) {
    return members_[(liveness_.remaining ? *liveness_.remaining : listed).place(key)];
  }
  const std::size_t own = listed.place(key);
  if (liveness_.live[own] != 0) return members_[own];
  const auto other = past_down_ == PastDown::Rehash ? listed.place_rehashed(key, liveness_.live)
                                                    : listed.place_next(key, liveness_.live);
  return members_[other.value_or(own)];
}

void Pool::look_at_health() const {
  liveness_.seen_changes = fleet_.changes();  // first: what changes meanwhile is seen next time
  std::vector<std::uint8_t> live;
  live.reserve(members_.size());
  for (const std::size_t member : members_) {
    live.push_back(entries_[member].shared->is_down() ? 0 : 1);
  }
  if (live == liveness_.live) return;  // it was a server of another pool
  liveness_.live = std::move(live);
  liveness_.all_live = std::ranges::find(liveness_.live, 0) == liveness_.live.end();
  liveness_.remaining.reset();
  if (liveness_.all_live || past_down_ != PastDown::Eject) return;
  liveness_.remaining =
      placement::make_placement(placement_options_, membership_->nodes, liveness_.live);
}

void Pool::remove_gone() {
  bool some_linger = false;
  for (Entry& entry : entries_) {
    if (!entry.server || entry.is_member) continue;
    if (entry.server->is_gone()) {
      remove(entry);
    } else {
      some_linger = true;
    }
  }
  if (some_linger) linger_timer_->set(context_.loop.now() + kLinger);
}

void Pool::remove(Entry& entry) {
  entry.server->metrics().remove_from(registry_, entry.server->name());
  entry = Entry{};
}

void Pool::on_addresses_changed() {
  for (Entry& entry : entries_) {
    if (entry.server) entry.server->on_addresses_changed();
  }
}

}  // namespace mcsteady::routing
