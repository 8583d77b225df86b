#include "mcsteady/upstream/server.h"

#include <algorithm>
#include <cstring>

#include "mcsteady/protocol/request.h"
#include "upstream/connection.h"
#include "upstream/exchange_list.h"
#include "upstream/large_values.h"
#include "upstream/probe.h"

namespace mcsteady::upstream {

namespace {
/// The keys of a command, one after the other: of a retrieval all, of others the first word.
class KeysOf {
 public:
  explicit KeysOf(const Exchange& exchange)
      : words_(exchange.command().substr(0, exchange.command().find('\r'))),
        is_retrieval_(protocol::is_classic_retrieval(exchange.verb)) {
    words_.next();
    if (exchange.verb == protocol::Verb::Gat || exchange.verb == protocol::Verb::Gats) {
      words_.next();
    }
  }
  /// Empty: there are no more.
  std::string_view next() {
    return std::exchange(is_over_, !is_retrieval_) ? std::string_view{} : words_.next();
  }

 private:
  protocol::KeyWalker words_;
  const bool is_retrieval_;
  bool is_over_ = false;
};

bool reads_values(protocol::Verb verb) {
  return protocol::is_classic_retrieval(verb) || verb == protocol::Verb::MetaGet;
}
}  // namespace

class Server::Impl final : private ConnectionHost, private net::Task {
 public:
  Impl(const ServerOptions& options, const Context& context, SharedServer& shared)
      : options_(options),
        context_(context),
        shared_(shared),
        large_values_(options.large_value),
        slots_(static_cast<std::size_t>(options.connections) + (has_large_slot() ? 1 : 0)),
        probe_(options_, context_, metrics_, shared_) {
    deadline_timer_ = context_.loop.make_timer([this](TimePoint due) { on_deadline(due); });
  }
  ~Impl() override = default;

  void submit(ExchangePtr exchange, std::size_t lane);
  void on_addresses_changed();
  void leave();
  void join() { left_ = false; }
  bool is_gone() const;

  const ServerOptions options_;
  const Context context_;
  SharedServer& shared_;
  ServerMetrics metrics_;

 private:
  void on_answered() override { shared_.on_answered(); }
  void on_value(const Exchange& exchange, const Item& item) override;
  void on_incident(const Incident& incident) override;
  void on_excused_wait(TimeoutVerdict verdict, const TimeoutEvidence& evidence) override {
    shared_.on_excused_wait(verdict, evidence, context_.loop.now());
  }
  void on_retired(Connection& connection) override;
  void on_closed(Connection& connection) override;
  void send_again(ExchangePtr exchange) override;
  void run() override { closed_.clear(); }  // at the turn's end

  void refuse(Exchange& exchange);
  bool has_large_slot() const { return options_.large_value > ByteCount{0}; }
  bool is_large(const Exchange& exchange);
  std::size_t slot_for(const Exchange& exchange);
  Connection& connection_in(std::size_t slot);
  void watch_deadline(Exchange& exchange);
  void set_deadline_timer(TimePoint due);
  void on_deadline(TimePoint due);
  void look_for_due(TimePoint now);
  void expire(Exchange& exchange);
  void fail(Exchange& exchange, Failure failure);

  DeadlineList deadlines_;
  std::unique_ptr<net::Timer> deadline_timer_;
  TimePoint deadline_timer_due_{};
  LargeValues large_values_;
  std::vector<std::unique_ptr<Connection>> slots_;    // by lane, then the large one, where there is
                                                      // one; empty until used
  std::vector<std::unique_ptr<Connection>> retired_;  // still owe something
  std::vector<std::unique_ptr<Connection>> closed_;   // until the turn ends
  Probe probe_;
  bool left_ = false;  // the pool
};

void Server::Impl::submit(ExchangePtr exchange, std::size_t lane) {
  exchange->server = options_.name;
  if (shared_.is_down()) return refuse(*exchange);
  Exchange& submitted = *exchange;
  submitted.lane_ = lane;
  Connection& connection = connection_in(slot_for(submitted));
  connection.submit(std::move(exchange));
  watch_deadline(submitted);
  if (left_) connection.drain();  // sent again: it may have a connection of its own for that
}

void Server::Impl::refuse(Exchange& exchange) {
  if (shared_.is_nobody()) {
    const bool has_place = shared_.endpoint() != net::Endpoint{};
    return fail(exchange, has_place ? Failure::ServerDown : Failure::NoServers);
  }
  const TimePoint now = context_.loop.now();
  if (shared_.take_over_probe(now)) probe_.schedule(now);
  fail(exchange, Failure::ServerDown);
}

/// A client's exchanges are never on both the small and the large one, so the later cannot
/// overtake.
std::size_t Server::Impl::slot_for(const Exchange& exchange) {
  const std::size_t large = static_cast<std::size_t>(options_.connections);
  const std::size_t small = exchange.lane_ % large;
  if (!has_large_slot()) return small;
  const auto is_on = [&](std::size_t slot) {
    return slots_[slot] && slots_[slot]->holds_lane(exchange.lane_);
  };
  if (!is_large(exchange)) return is_on(large) ? large : small;
  const bool must_queue = is_on(small);
  (must_queue ? metrics_.large_requests_queued : metrics_.large_requests).add();
  return must_queue ? small : large;
}

/// Of what is written the size is known, of what is read it is a guess.
bool Server::Impl::is_large(const Exchange& exchange) {
  KeysOf keys(exchange);
  const std::size_t size = exchange.head_size + exchange.body_size;
  if (size > options_.large_value.value) {
    large_values_.learn(keys.next(), size);
    return true;
  }
  if (large_values_.empty() || !reads_values(exchange.verb)) return false;
  for (std::string_view key = keys.next(); !key.empty(); key = keys.next()) {
    if (large_values_.is_likely(key)) return true;
  }
  return false;
}

void Server::Impl::on_value(const Exchange& exchange, const Item& item) {
  if (!has_large_slot()) return;
  const std::string_view key = item.line.key;
  large_values_.learn(key.empty() ? KeysOf(exchange).next() : key,
                      item.line.value_size.value_or(0));
}

Connection& Server::Impl::connection_in(std::size_t index) {
  std::unique_ptr<Connection>& slot = slots_[index];
  if (!slot) {
    slot = std::make_unique<Connection>(options_, context_, metrics_, deadlines_,
                                        static_cast<ConnectionHost&>(*this));
    slot->open(shared_.address());
  }
  return *slot;
}

void Server::Impl::on_incident(const Incident& incident) {
  const TimePoint now = context_.loop.now();
  const SharedServer::Consequence consequence = shared_.on_incident(incident, now);
  if (consequence.verdict == SharedServer::Verdict::Counted) metrics_.incidents.add();
  if (consequence.verdict == SharedServer::Verdict::Excused) metrics_.incidents_excused.add();
  if (!consequence.probe_at) return;
  metrics_.down_marks.add();
  probe_.schedule(*consequence.probe_at);
}

void Server::Impl::on_retired(Connection& connection) {
  for (auto& slot : slots_) {
    if (slot.get() == &connection) retired_.push_back(std::move(slot));
  }
}

void Server::Impl::on_closed(Connection& connection) {
  const auto move_from = [&](std::vector<std::unique_ptr<Connection>>& list) {
    for (auto& entry : list) {
      if (entry.get() == &connection) closed_.push_back(std::move(entry));
    }
  };
  move_from(slots_);
  move_from(retired_);
  std::erase(retired_, nullptr);
  context_.loop.at_turn_end(*this);
}

void Server::Impl::send_again(ExchangePtr exchange) {
  const bool was_sent = exchange->sent_;
  exchange->touched_ = exchange->sent_ = false;
  exchange->sent_at_ = {};
  if (was_sent) metrics_.resends.add();
  const std::size_t lane = exchange->lane_;
  submit(std::move(exchange), lane);
}

// ---- change

void Server::Impl::on_addresses_changed() {
  // What one does not take over goes to another of the same lane, which may be made here.
  for (std::unique_ptr<Connection>& slot : slots_) {
    if (!slot) continue;
    const auto& address = slot->address();
    if (!address || !shared_.has_address(*address)) slot->drain_sent();
  }
  if (shared_.is_down() && probe_.is_scheduled()) probe_.schedule(context_.loop.now());
}

void Server::Impl::leave() {
  left_ = true;
  for (std::unique_ptr<Connection>& slot : slots_) {
    if (slot) slot->drain();
  }
}

bool Server::Impl::is_gone() const {
  const auto is_empty = [](const auto& slot) { return slot == nullptr; };
  return left_ && std::ranges::all_of(slots_, is_empty) && retired_.empty() && closed_.empty();
}

// ---- deadlines

void Server::Impl::watch_deadline(Exchange& exchange) {
  if (options_.request_timeout == Duration{0}) return;
  if (exchange.deadline_ == TimePoint::max()) {
    exchange.deadline_ = exchange.started + options_.request_timeout;
  }
  deadlines_.add(exchange);
  // Set lazily, like the timers of waits: it fires for what was first once, and is set again.
  // But a request that was long in coming is due before those ahead of it.
  if (!deadline_timer_->is_set() || exchange.deadline_ < deadline_timer_due_) {
    set_deadline_timer(exchange.deadline_);
  }
}

void Server::Impl::set_deadline_timer(TimePoint due) {
  deadline_timer_due_ = due;
  deadline_timer_->set(due);
}

void Server::Impl::on_deadline(TimePoint due) {
  const TimePoint now = context_.loop.now();
  const bool we_stalled = now - due >= options_.stall_min;
  if (options_.timeout_recovery) look_for_due(now);
  for (Exchange* first = deadlines_.first(); first != nullptr && first->deadline_ <= now;
       first = deadlines_.first()) {
    if (options_.timeout_recovery && we_stalled && !first->granted_) {
      deadlines_.remove(*first);
      first->granted_ = true;
      first->deadline_ = now + options_.response_timeout;
      metrics_.waits_granted.add();
      deadlines_.add(*first);
    } else {
      expire(*first);
    }
  }
  if (const Exchange* first = deadlines_.first()) set_deadline_timer(first->deadline_);
}

/// Replies to what is due may lie in a socket: looks at each connection that owes one.
void Server::Impl::look_for_due(TimePoint now) {
  const auto due_here = [&](const Connection& connection) {
    for (const Exchange* e = deadlines_.first(); e != nullptr && e->deadline_ <= now;
         e = e->later_) {
      if (e->connection_ == &connection) return true;
    }
    return false;
  };
  // A look can move connections between the lists: take the addresses first.
  std::vector<Connection*> to_look;
  for (const auto* list : {&slots_, &retired_}) {
    for (const auto& connection : *list) {
      if (connection && due_here(*connection)) to_look.push_back(connection.get());
    }
  }
  for (Connection* connection : to_look) connection->look();
}

void Server::Impl::expire(Exchange& exchange) {
  deadlines_.remove(exchange);
  const bool wanted = !exchange.given_up();
  Exchange::Owner* owner = std::exchange(exchange.owner, nullptr);
  if (wanted) {
    metrics_.failures[static_cast<std::size_t>(Failure::RequestDeadline)].add();
    owner->on_failed(exchange, Failure::RequestDeadline);
  }
  if (exchange.connection_ != nullptr) exchange.connection_->expire(exchange);
}

void Server::Impl::fail(Exchange& exchange, Failure failure) {
  if (exchange.given_up()) return;
  metrics_.failures[static_cast<std::size_t>(failure)].add();
  std::exchange(exchange.owner, nullptr)->on_failed(exchange, failure);
}

// ---- the front door

Server::Server(const ServerOptions& options, const Context& context, SharedServer& shared)
    : impl_(std::make_unique<Impl>(options, context, shared)) {}
Server::~Server() = default;

bool Server::is_down() const {
  return impl_->shared_.is_down();
}
void Server::submit(ExchangePtr exchange, std::size_t lane) {
  impl_->submit(std::move(exchange), lane);
}
void Server::on_addresses_changed() {
  impl_->on_addresses_changed();
}
void Server::leave() {
  impl_->leave();
}
void Server::join() {
  impl_->join();
}
bool Server::is_gone() const {
  return impl_->is_gone();
}
const ServerOptions& Server::options() const {
  return impl_->options_;
}
const std::string& Server::name() const {
  return impl_->options_.name;
}
const ServerMetrics& Server::metrics() const {
  return impl_->metrics_;
}

}  // namespace mcsteady::upstream
