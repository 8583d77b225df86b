#include "discovery/pool_watch.h"

#include <algorithm>
#include <set>
#include <utility>

namespace mcsteady::discovery {

namespace {
// A source that fails is told of once, and then this often.
constexpr Duration kLogEvery = std::chrono::minutes(1);

/// An endpoint is asked every `poll`; what it says of itself has no other TTL.
TtlLimits limits_for(const routing::SourceOptions& source, const TtlLimits& limits) {
  if (source.kind != routing::SourceOptions::Kind::ElastiCache) return limits;
  return {.ttl_min = std::min(limits.ttl_min, source.poll), .ttl_max = source.poll};
}

std::string host_of(const net::Address& address) {
  return net::parse_endpoint(address.text()).value_or(net::Endpoint{}).host;
}

std::int64_t unix_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}
}  // namespace

PoolWatch::PoolWatch(const Context& context, const routing::PoolOptions& options,
                     std::unique_ptr<Source> source, AddressBook& book, Listener& listener)
    : context_(context),
      options_(options),
      source_(std::move(source)),
      book_(book),
      listener_(listener),
      schedule_(limits_for(options.source, context.limits), context.loop.now()),
      roster_(options.source.hold_down),
      failure_logged_at_(context.loop.now() - kLogEvery) {
  timer_ = context_.loop.make_timer([this](TimePoint) {
    if (schedule_.is_due(context_.loop.now())) ask();
  });
  arm_timer();
}

void PoolWatch::hurry() {
  schedule_.hurry(context_.loop.now());
  arm_timer();
}

bool PoolWatch::has(const upstream::SharedServer& server) const {
  return records_.contains(server.endpoint().text());
}

void PoolWatch::ask() {
  schedule_.on_asked(context_.loop.now());
  context_.metrics.lookups.add();
  source_->ask([this](const Result<Listing, std::string>& listing) { on_listing(listing); });
}

void PoolWatch::on_listing(const Result<Listing, std::string>& listing) {
  is_settled_ = true;
  const TimePoint now = context_.loop.now();
  if (!listing || listing->candidates.empty()) {
    if (listing) metrics_.empty_listings.add();
    on_failed(listing ? "an answer without a server" : listing.error());
    return arm_timer();
  }
  metrics_.listings.add();
  evidence_ = listing->evidence;
  if (std::exchange(failures_, 0) > 0) {
    context_.log.info("servers of a pool are found again", {{"pool", options_.name}});
  }
  roster_.on_listing(listing->candidates, now);
  schedule_.on_answered(listing->ttl, now);
  if (const auto at = roster_.decides_at()) schedule_.hurry(*at);
  update();
  arm_timer();
}

void PoolWatch::on_failed(const std::string& why) {
  const TimePoint now = context_.loop.now();
  schedule_.on_failed(now);
  metrics_.listing_failures.add();
  context_.metrics.lookup_failures.add();
  ++failures_;
  if (now - failure_logged_at_ < kLogEvery) return;
  failure_logged_at_ = now;
  context_.log.warn("cannot find the servers of a pool, will be tried again",
                    {{"pool", options_.name},
                     {"source", options_.source.text()},
                     {"error", why},
                     {"failures", failures_},
                     {"servers_kept", published_.size()}});
}

/// What the roster says, as far as addresses are known.
void PoolWatch::update() {
  std::map<std::string, upstream::Fleet::ServerPtr> records;
  std::vector<Candidate> members;
  for (const Candidate& candidate : roster_.members()) {
    auto record = record_of(candidate);
    if (record->address()) members.push_back(candidate);
    records.emplace(candidate.at.text(), std::move(record));
  }
  records_ = std::move(records);
  metrics_.held.set(static_cast<std::int64_t>(roster_.missing()));
  const auto same = [](const Candidate& a, const Candidate& b) {
    return a.at == b.at && a.weight == b.weight;
  };
  if (members.empty() || std::ranges::equal(members, published_, same)) return;
  publish(members);
}

upstream::Fleet::ServerPtr PoolWatch::record_of(const Candidate& candidate) {
  const std::string name = candidate.at.text();
  if (const auto known = records_.find(name); known != records_.end()) return known->second;
  auto record = context_.fleet.server(name, candidate.at, options_.common.health);
  if (candidate.address && !record->address()) record->set_address(*candidate.address);
  book_.watch(record);
  return record;
}

void PoolWatch::publish(const std::vector<Candidate>& members) {
  std::vector<routing::PoolServer> servers;
  for (const Candidate& member : members) {
    routing::PoolServer server{.server = options_.common, .weight = member.weight};
    server.server.endpoint = member.at;
    server.server.name = member.at.text();
    if (member.address && !net::numeric_address(member.at)) server.ip = host_of(*member.address);
    servers.push_back(std::move(server));
  }
  tell_of(members);
  published_ = members;
  metrics_.servers.set(static_cast<std::int64_t>(members.size()));
  metrics_.last_change.set(unix_seconds());
  listener_.on_members(options_.name,
                       routing::make_membership(options_.placement, std::move(servers)));
}

void PoolWatch::tell_of(const std::vector<Candidate>& members) {
  const auto is_in = [](const std::vector<Candidate>& list, const Candidate& candidate) {
    return std::ranges::find(list, candidate.at, &Candidate::at) != list.end();
  };
  const auto tell = [&](const char* what, const Candidate& of) {
    context_.log.info(what, {{"pool", options_.name},
                             {"server", of.at.text()},
                             {"source", options_.source.text()},
                             {"evidence", evidence_},
                             {"servers", members.size()}});
  };
  for (const Candidate& member : members) {
    if (is_in(published_, member)) continue;
    metrics_.joined.add();
    tell("server joins its pool", member);
  }
  for (const Candidate& member : published_) {
    if (is_in(members, member)) continue;
    metrics_.left.add();
    tell("server leaves its pool", member);
  }
}

void PoolWatch::arm_timer() {
  if (const auto due = schedule_.due()) timer_->set(*due);
}

}  // namespace mcsteady::discovery
