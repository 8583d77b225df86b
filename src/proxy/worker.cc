#include "mcsteady/proxy/worker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "proxy/binary_slot.h"
#include "proxy/client_connection.h"
#include "proxy/fan_out_slot.h"
#include "proxy/retrieval_slot.h"
#include "proxy/single_slot.h"
#include "proxy/worker_context.h"

namespace mcsteady::proxy {

namespace {
// What a client must hold to be worth closing when memory runs out.
constexpr std::size_t kHoarderMin = std::size_t{256} * 1024;
// A timer that is later than this says that we have stalled.
constexpr Duration kStallMin = std::chrono::milliseconds(20);

constexpr Duration kForever = Duration::max();

/// Of the limits on a client's time.
Duration shortest_limit(const WorkerOptions& options) {
  const ClientOptions& client = options.client;
  const bool asks = std::ranges::any_of(options.listeners, [](const ListenerOptions& listener) {
    return !listener.auth_file.empty();
  });
  Duration shortest = kForever;
  for (const Duration limit :
       {client.request_time_max, client.idle_max, asks ? client.auth.time_max : Duration{0}}) {
    if (limit > Duration{0}) shortest = std::min(shortest, limit);
  }
  return shortest;
}

bool is_admitted(const net::AcceptedSocket& socket, const PeerRule& rule) {
  if (rule.is_open()) return true;
  const auto peer = socket.peer();
  return peer && rule.admits(*peer);
}
}  // namespace

class Worker::Impl final : private ClientConnection::Host,
                           private MemoryRelief::Member,
                           private net::Task {
 public:
  Impl(const WorkerOptions& options, net::EventLoop& loop, Shared& shared)
      : options_(options),
        shared_(shared),
        loop_(loop),
        blocks_(shared.memory),
        beat_(loop, exchanges_, metrics_.loop_lag),
        router_(options_, {loop, blocks_, exchanges_, beat_}, shared.fleet, shared.registry),
        context_{loop, blocks_, exchanges_, router_, options_.client, metrics_, shared} {
    metrics_.register_in(shared.registry);
    blocks_.set_relief([this] { return close_largest_holder(); });
    blocks_.set_warning([this] { shared_.relief.ask(*this, loop_.now()); });
    shared_.relief.join(loop_, *this);
    sweep_timer_ = loop_.make_timer([this](TimePoint) { sweep(); });
    sweep_timer_->set(loop_.now() + options_.client.stuck_timeout);
    deadline_timer_ = loop_.make_timer([this](TimePoint due) { check_deadlines(due); });
    if (patience_ != kForever) deadline_timer_->set(loop_.now() + patience_);
    drain_timer_ = loop_.make_timer([this](TimePoint) { close_all(); });
  }
  ~Impl() override {
    shared_.relief.leave(*this);
    blocks_.set_warning({});
    blocks_.set_relief({});
  }

  Result<void, std::string> listen(std::size_t first, std::size_t last);
  net::Endpoint endpoint(std::size_t index) const { return doors_[index]->endpoint(); }
  int descriptor(std::size_t index) const { return doors_[index]->descriptor(); }
  void change_pool(const std::string& name, const routing::MembershipPtr& membership) {
    router_.change_pool(name, membership);
  }
  void on_addresses_changed() { router_.on_addresses_changed(); }
  void drain(std::function<void()> drained);

 private:
  /// A listener, and what it asks of those who come.
  class Door final : private net::Listener::Handler {
   public:
    Door(Impl& worker, const ListenerOptions& options) : worker_(worker), options_(options) {
      if (options.tls) tls_ = std::make_unique<net::TlsAcceptor>(worker.loop_, *options.tls);
    }
    Result<void, std::string> open(net::EventLoop& loop);
    net::Endpoint endpoint() const { return listener_->endpoint(); }
    int descriptor() const { return listener_->descriptor(); }
    void close() { listener_.reset(); }

   private:
    void on_accepted(std::unique_ptr<net::AcceptedSocket> socket) override {
      worker_.on_accepted(*socket, options_, tls_.get());
    }

    Impl& worker_;
    const ListenerOptions& options_;
    std::unique_ptr<net::TlsAcceptor> tls_;
    std::unique_ptr<net::Listener> listener_;
  };

  void on_accepted(net::AcceptedSocket& socket, const ListenerOptions& listener,
                   net::TlsAcceptor* tls);
  Authenticator* authenticator_of(const ListenerOptions& listener) const;
  void on_client_closed(ClientConnection& client, CloseCause cause) override;
  void run() override;  // at the turn's end

  void sweep();
  void check_deadlines(TimePoint due);
  ClientConnection* largest_holder() const;
  bool close_largest_holder();
  std::size_t largest_holding() const override;
  void close_largest_of_all() override { close_largest_holder(); }
  void close_all();
  void finish_drain();

  const WorkerOptions options_;
  Shared& shared_;
  net::EventLoop& loop_;
  WorkerMetrics metrics_;
  net::BlockPool blocks_;
  upstream::ExchangePool exchanges_;
  upstream::StallBeat beat_;
  Router router_;
  WorkerContext context_;
  std::vector<std::unique_ptr<Door>> doors_;  // outlive the clients: their handshakes wait there
  std::vector<std::unique_ptr<ClientConnection>> clients_;
  std::vector<std::unique_ptr<ClientConnection>> closed_;  // until the turn ends
  std::size_t next_lane_ = 0;
  std::unique_ptr<net::Timer> sweep_timer_;
  const Duration patience_ = shortest_limit(options_);
  std::unique_ptr<net::Timer> deadline_timer_;
  std::unique_ptr<net::Timer> drain_timer_;
  std::function<void()> drained_;  // set while draining
};

Result<void, std::string> Worker::Impl::listen(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    doors_.push_back(std::make_unique<Door>(*this, options_.listeners[i]));
    if (auto opened = doors_.back()->open(loop_); !opened) return opened;
  }
  return {};
}

Result<void, std::string> Worker::Impl::Door::open(net::EventLoop& loop) {
  auto listener = loop.listen(options_.socket, static_cast<net::Listener::Handler&>(*this));
  if (!listener) return Unexpected{listener.error()};
  listener_ = std::move(*listener);
  return {};
}

void Worker::Impl::on_accepted(net::AcceptedSocket& socket, const ListenerOptions& listener,
                               net::TlsAcceptor* tls) {
  metrics_.clients_accepted.add();
  metrics_.clients.add(1);
  const std::size_t others = shared_.client_count.fetch_add(1, std::memory_order_relaxed);
  const bool is_known = is_admitted(socket, listener.peers);
  clients_.push_back(std::make_unique<ClientConnection>(
      context_, static_cast<ClientConnection::Host&>(*this), next_lane_++));
  ClientConnection& client = *clients_.back();
  client.index = clients_.size() - 1;
  client.start(socket, authenticator_of(listener), tls);
  if (!is_known) {
    client.turn_away("ERROR access denied\r\n", CloseCause::Stranger);
  } else if (others >= options_.client.clients_max) {
    client.refuse("ERROR Too many open connections\r\n", CloseCause::TooMany);
  }
}

Authenticator* Worker::Impl::authenticator_of(const ListenerOptions& listener) const {
  if (listener.auth_file.empty()) return nullptr;
  return shared_.authenticators.at(listener.auth_file).get();
}

void Worker::Impl::on_client_closed(ClientConnection& client, CloseCause cause) {
  metrics_.clients_closed[static_cast<std::size_t>(cause)].add();
  metrics_.clients.add(-1);
  shared_.client_count.fetch_sub(1, std::memory_order_relaxed);
  const std::size_t index = client.index;
  closed_.push_back(std::move(clients_[index]));
  if (index + 1 != clients_.size()) {
    clients_[index] = std::move(clients_.back());
    clients_[index]->index = index;
  }
  clients_.pop_back();
  loop_.at_turn_end(*this);
}

void Worker::Impl::run() {
  closed_.clear();
  if (drained_ && clients_.empty()) finish_drain();
}

/// Closes clients that hold memory and have neither taken nor given a byte for a whole period.
void Worker::Impl::sweep() {
  for (std::size_t i = clients_.size(); i-- > 0;) {
    ClientConnection& client = *clients_[i];
    if (!client.made_progress() && client.holds_memory()) client.close(CloseCause::Stuck);
  }
  sweep_timer_->set(loop_.now() + options_.client.stuck_timeout);
}

/// One timer for all: whatever deadline a client gets from now on, it is no nearer than the
/// shortest limit. Where the timer is late it is we who have not read, and clients get that time
/// back.
void Worker::Impl::check_deadlines(TimePoint due) {
  const TimePoint now = loop_.now();
  TimePoint next = now + patience_;
  if (now - due > kStallMin) {
    deadline_timer_->set(std::min(next, now + (now - due)));
    return;
  }
  for (std::size_t i = clients_.size(); i-- > 0;) {
    const auto deadline = clients_[i]->deadline();
    if (!deadline) continue;
    if (deadline->at <= now) {
      clients_[i]->expire(deadline->cause);
    } else {
      next = std::min(next, deadline->at);
    }
  }
  deadline_timer_->set(next);
}

/// What a client does not take of its replies is its own doing: at the ceiling, the one that holds
/// the most goes, not the one that happens to ask next.
bool Worker::Impl::close_largest_holder() {
  ClientConnection* largest = largest_holder();
  if (largest == nullptr) return false;
  largest->close(CloseCause::NoMemory);
  return true;
}

std::size_t Worker::Impl::largest_holding() const {
  const ClientConnection* largest = largest_holder();
  return largest == nullptr ? 0 : largest->held();
}

ClientConnection* Worker::Impl::largest_holder() const {
  ClientConnection* largest = nullptr;
  for (const auto& client : clients_) {
    if (client->is_busy() || client->held() < kHoarderMin) continue;
    if (largest == nullptr || client->held() > largest->held()) largest = client.get();
  }
  return largest;
}

void Worker::Impl::drain(std::function<void()> drained) {
  for (const auto& door : doors_) door->close();
  drained_ = std::move(drained);
  drain_timer_->set(loop_.now() + options_.drain_timeout);
  for (std::size_t i = clients_.size(); i-- > 0;) clients_[i]->drain();
  loop_.at_turn_end(*this);
}

void Worker::Impl::close_all() {
  for (std::size_t i = clients_.size(); i-- > 0;) clients_[i]->close(CloseCause::Drained);
  loop_.at_turn_end(*this);
}

void Worker::Impl::finish_drain() {
  drain_timer_->clear();
  sweep_timer_->clear();
  deadline_timer_->clear();
  std::exchange(drained_, nullptr)();
}

Worker::Worker(const WorkerOptions& options, net::EventLoop& loop, Shared& shared)
    : impl_(std::make_unique<Impl>(options, loop, shared)) {}
Worker::~Worker() = default;
Result<void, std::string> Worker::listen(std::size_t first, std::size_t last) {
  return impl_->listen(first, last);
}
net::Endpoint Worker::endpoint(std::size_t index) const {
  return impl_->endpoint(index);
}
int Worker::descriptor(std::size_t index) const {
  return impl_->descriptor(index);
}
void Worker::change_pool(const std::string& name, const routing::MembershipPtr& membership) {
  impl_->change_pool(name, membership);
}
void Worker::on_addresses_changed() {
  impl_->on_addresses_changed();
}
void Worker::drain(std::function<void()> drained) {
  impl_->drain(std::move(drained));
}

}  // namespace mcsteady::proxy
