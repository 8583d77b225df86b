#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "discovery/address_book.h"
#include "discovery/lookup_schedule.h"
#include "discovery/roster.h"
#include "discovery/source.h"
#include "mcsteady/discovery/metrics.h"
#include "mcsteady/routing/membership.h"
#include "mcsteady/routing/options.h"

namespace mcsteady::discovery {

/// Keeps the servers of one pool that has a source: asks it, holds the answers against each other,
/// and tells of the pool's new members. A server becomes one when its address is known.
/// Thread: its loop's.
class PoolWatch {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_members(const std::string& pool, routing::MembershipPtr members) = 0;
  };

  PoolWatch(const Context& context, const routing::PoolOptions& options,
            std::unique_ptr<Source> source, AddressBook& book, Listener& listener);

  /// Addresses of some servers have become known.
  void on_addresses() { update(); }
  /// One of its servers has had an incident: it may have left.
  void hurry();
  /// Its source has answered, or has failed, once.
  bool is_settled() const { return is_settled_; }
  bool has(const upstream::SharedServer& server) const;

  const PoolMetrics& metrics() const { return metrics_; }
  const std::string& name() const { return options_.name; }

 private:
  void ask();
  void on_listing(const Result<Listing, std::string>& listing);
  void on_failed(const std::string& why);
  void update();
  upstream::Fleet::ServerPtr record_of(const Candidate& candidate);
  void publish(const std::vector<Candidate>& members);
  void tell_of(const std::vector<Candidate>& members);
  void arm_timer();

  const Context context_;
  const routing::PoolOptions options_;
  const std::unique_ptr<Source> source_;
  AddressBook& book_;
  Listener& listener_;
  PoolMetrics metrics_;
  LookupSchedule schedule_;
  Roster roster_;
  std::map<std::string, upstream::Fleet::ServerPtr> records_;  // of the roster, by endpoint
  std::vector<Candidate> published_;
  std::string evidence_ = "none";  // of the last listing
  bool is_settled_ = false;
  int failures_ = 0;  // in a row
  TimePoint failure_logged_at_{};
  std::unique_ptr<net::Timer> timer_;
};

}  // namespace mcsteady::discovery
