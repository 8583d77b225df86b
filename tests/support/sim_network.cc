#include "support/sim_network.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "support/sim_listener.h"
#include "support/sim_loop.h"

namespace mcsteady::test {

namespace {

/// How the network names a place: the text of its address.
std::string key_of(const net::Endpoint& endpoint) {
  return endpoint.text();
}

std::string any_host(const std::string& key) {
  const std::size_t colon = key.rfind(':');
  const std::string host = key.front() == '[' ? "[::]" : "0.0.0.0";
  return colon == std::string::npos ? key : host + key.substr(colon);
}

/// Turns at one and the same moment: more than this is a loop that never waits.
constexpr int kTurnsAtOnceMax = 200'000;

[[noreturn]] void give_up(const char* why, std::uint64_t seed) {
  std::fprintf(stderr, "simulation: %s (%s)\n", why, replay_hint(seed).c_str());
  std::abort();
}

}  // namespace

SimNetwork::SimNetwork(std::uint64_t seed) : rng_(seed) {}

SimNetwork::~SimNetwork() {
  assert(loops_.empty() && "the network outlives its loops");
}

void SimNetwork::remove(SimLoop& loop) {
  std::erase(loops_, &loop);
}

void SimNetwork::set_conditions(const net::Endpoint& to, const PathConditions& there) {
  conditions_[key_of(to)] = there;
}

void SimNetwork::hold(const net::Endpoint& place, bool on) {
  held_[key_of(place)] = on;
  for (const auto& connection : connections_) {
    if (connection->key() == key_of(place)) connection->hold(on);
  }
}

void SimNetwork::reset_all(const net::Endpoint& place) {
  for (const auto& connection : connections_) {
    if (connection->key() != key_of(place)) continue;
    connection->outgoing(Side::Server).finish(LinkEnd::Reset, now());
    connection->outgoing(Side::Client).finish(LinkEnd::Reset, now());
  }
}

std::size_t SimNetwork::connections_to(const net::Endpoint& place) const {
  return static_cast<std::size_t>(std::ranges::count_if(connections_, [&](const auto& connection) {
    return connection->key() == key_of(place) &&
           connection->phase() == SimConnection::Phase::Established;
  }));
}

SimConnection& SimNetwork::connect(const net::Address& to) {
  const std::string key = to.text();
  const auto special = conditions_.find(key);
  const PathConditions& path = special == conditions_.end() ? everywhere_ : special->second;
  connections_.push_back(std::make_unique<SimConnection>(++connects_made_, key, path, now(), rng_));
  SimConnection& made = *connections_.back();
  if (held_[key]) made.hold(true);
  note('c', made.id());
  return made;
}

Result<net::Endpoint, std::string> SimNetwork::bind(const net::ListenOptions& options,
                                                    SimListener& listener) {
  net::Endpoint place = options.endpoint;
  if (!place.is_unix() && place.port == 0) place.port = next_port_++;
  const std::string key = key_of(place);
  const auto [first, last] = listeners_.equal_range(key);
  const bool all_share = std::all_of(
      first, last, [](const auto& entry) { return entry.second->options().share_port; });
  if (first != last && !(options.share_port && all_share)) {
    return Unexpected{"cannot listen on " + key + ": address in use"};
  }
  listeners_.emplace(key, &listener);
  return place;
}

void SimNetwork::unbind(SimListener& listener) {
  std::erase_if(listeners_, [&](const auto& entry) { return entry.second == &listener; });
}

SimListener* SimNetwork::find_listener(const SimConnection& connection) {
  for (const std::string& key : {connection.key(), any_host(connection.key())}) {
    const auto count = listeners_.count(key);
    if (count == 0) continue;
    auto chosen = listeners_.lower_bound(key);
    std::advance(chosen, static_cast<std::ptrdiff_t>(count == 1 ? 0 : rng_.below(count)));
    return chosen->second;
  }
  return nullptr;
}

void SimNetwork::arrive_syn(SimConnection& connection) {
  const PathConditions& path = connection.path();
  if (path.fate == ConnectFate::Blackhole) return connection.silence();
  if (path.fate == ConnectFate::TimeOut) {
    return connection.fail({net::StreamError::ConnectFailed, ETIMEDOUT},
                           now() + path.connect_gives_up);
  }
  SimListener* listener = find_listener(connection);
  if (path.fate == ConnectFate::Refuse || listener == nullptr) {
    const bool no_such_socket = connection.is_unix() && listener == nullptr;
    return connection.fail(no_such_socket ? net::Breakage{net::StreamError::ConnectFailed, ENOENT}
                                          : net::Breakage{net::StreamError::Refused, ECONNREFUSED},
                           now());
  }
  if (!listener->offer(connection)) return connection.retry_syn(now() + std::chrono::seconds(1));
  connection.establish();
}

void SimNetwork::arrive() {
  for (const auto& connection : connections_) {
    const auto syn = connection->syn_arrives();
    if (syn && *syn <= now()) arrive_syn(*connection);
    connection->arrive(now());
  }
}

void SimNetwork::forget_what_is_over() {
  std::erase_if(connections_, [](const auto& connection) { return connection->is_over(); });
}

bool SimNetwork::run_turns(const Condition& condition) {
  bool any = false;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    SimLoop& loop = *loops_[i];
    if (loop.in_turn() || !loop.turn_is_due()) continue;
    loop.run_turn();
    any = true;
    if (condition()) break;
  }
  return any;
}

std::optional<TimePoint> SimNetwork::next_happening(bool with_timers) const {
  std::optional<TimePoint> earliest;
  const auto consider = [&earliest](std::optional<TimePoint> at) {
    if (at && (!earliest || *at < *earliest)) earliest = at;
  };
  for (const auto& connection : connections_) consider(connection->next_happening(now()));
  for (const SimLoop* loop : loops_) {
    if (!loop->in_turn()) consider(loop->next_turn_at(with_timers));
  }
  return earliest;
}

bool SimNetwork::run_until(TimePoint limit, const Condition& condition) {
  ++depth_;
  int turns_at_once = 0;
  bool holds = condition();
  for (; !holds; holds = condition()) {
    arrive();
    if (run_turns(condition)) {
      if (++turns_at_once > kTurnsAtOnceMax) give_up("time stands still", seed());
      continue;
    }
    if (depth_ == 1) forget_what_is_over();
    const auto next = next_happening(true);
    if (!next && limit == TimePoint::max()) give_up("nothing will ever happen", seed());
    if (!next || *next > limit) {
      clock_.set(std::max(limit, now()));
      break;
    }
    if (*next > now()) turns_at_once = 0;
    clock_.set(std::max(*next, now()));
  }
  --depth_;
  return holds;
}

void SimNetwork::run_until_idle() {
  const Condition never = [] { return false; };
  ++depth_;
  for (;;) {
    arrive();
    if (run_turns(never)) continue;
    const auto next = next_happening(false);
    if (!next) break;
    clock_.set(std::max(*next, now()));
  }
  if (--depth_ == 0) forget_what_is_over();
}

void SimNetwork::note(std::uint64_t what, std::uint64_t who, std::string_view bytes) {
  const auto fold = [this](std::uint64_t word) {
    transcript_ = (transcript_ ^ word) * 0x100000001b3ULL;  // FNV-1a, a word at a time
    transcript_ ^= transcript_ >> 29;
  };
  fold(static_cast<std::uint64_t>(now().time_since_epoch().count()));
  fold(what);
  fold(who);
  fold(bytes.size());
  for (const char byte : bytes) fold(static_cast<unsigned char>(byte));
}

}  // namespace mcsteady::test
