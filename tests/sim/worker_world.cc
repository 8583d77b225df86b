#include "sim/worker_world.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "config/route_in_yaml.h"
#include "sim/binary_sim_client.h"
#include "sim/text_sim_client.h"

namespace mcsteady::test {

namespace {
using namespace std::chrono_literals;

constexpr std::size_t kRequestsEach = 60;
constexpr const char* kSpare = "spare";
const net::Endpoint kProxy{.host = "127.0.0.1", .port = 11211, .unix_path = {}};

net::Endpoint place_of(std::size_t index) {
  return {.host = "10.0.0." + std::to_string(index + 1), .port = 11211, .unix_path = {}};
}
}  // namespace

WorldTls::WorldTls() {
  const TestCertificates::Pair pair = certificates.issue("cache.example");
  net::TlsServerOptions ours;
  ours.own.certificate = pair.certificate;
  ours.own.key = pair.key;
  server = std::make_unique<net::TlsServer>(ours);
  client = std::make_shared<net::TlsClient>(net::TlsClientOptions{
      .own = {}, .verify = true, .ca = certificates.ca(), .server_name = "cache.example"});
  [[maybe_unused]] const bool loaded = server->load() && client->load();
  assert(loaded);
}

WorkerWorld::WorkerWorld(std::uint64_t seed, Expect expect)
    : rng_(seed), expect_(expect), of_clients_(expect), network_(rng_.next()) {
  make_servers();
  make_worker();
  make_clients();
}

WorkerWorld::~WorkerWorld() {
  customers_.clear();
  worker_.reset();
}

void WorkerWorld::make_servers() {
  if (rng_.seed() % 4 == 0) tls_.emplace();
  main_count_ = rng_.between(1, 4);
  const std::size_t spare_count = rng_.chance(0.4) ? rng_.between(1, 2) : 0;
  const std::size_t count = main_count_ + spare_count;
  for (std::size_t i = 0; i < count; ++i) {
    LinkConditions link;
    link.delay_max = link.delay_min + rng_.between(Duration{0}, Duration(200us));
    link.chunk_max = rng_.chance(0.5) ? rng_.between(1, 8000) : 0;
    if (link.chunk_max > 0 && link.chunk_max < 400) link.delay_max = link.delay_min;
    network_.set_conditions(place_of(i), PathConditions{.to_server = link, .to_client = link});
    Place place{.loop = std::make_unique<SimLoop>(network_), .server = nullptr};
    net::TlsServer* const tls = tls_ ? tls_->server.get() : nullptr;
    place.server = std::make_unique<ScriptedServer>(*place.loop, place_of(i), tls);
    place.server->script([this](const MemcachedCommand&) {
      if (expect_ == Expect::Honest && rng_.chance(0.05)) return act_of_a_bad_server();
      return ServerAct::answer_after(rng_.between(Duration{0}, Duration(2ms)));
    });
    servers_.push_back(std::move(place));
  }
}

ServerAct WorkerWorld::act_of_a_bad_server() {
  switch (rng_.below(7)) {
    case 0:
      return ServerAct::never_answer();
    case 1:
      return ServerAct::close_without_answer();
    case 2:
      return ServerAct::reset_without_answer();
    case 3:
      return ServerAct::break_off_after(rng_.below(100));
    case 4: {
      ServerAct act;
      act.pause_in_the_middle = rng_.between(Duration(1ms), Duration(400ms));
      return act;
    }
    default:
      return ServerAct::answer_after(rng_.between(Duration(1ms), Duration(700ms)));
  }
}

routing::PoolOptions WorkerWorld::make_pool(std::string name, std::size_t from, std::size_t to) {
  routing::PoolOptions pool{.name = std::move(name), .servers = {}, .placement = {}};
  pool.on_down = rng_.chance(0.5) ? protocol::DownPolicy::Miss : protocol::DownPolicy::Error;
  if (rng_.chance(0.3)) pool.past_down = routing::PastDown::Next;
  const ByteCount large_value{rng_.chance(0.5) ? rng_.between(100, 40'000) : 0};
  for (std::size_t i = from; i < to; ++i) {
    upstream::ServerOptions server;
    server.large_value = large_value;
    server.name = "server" + std::to_string(i);
    server.endpoint = place_of(i);
    server.connections = static_cast<int>(rng_.between(1, 3));
    server.request_timeout = expect_ == Expect::Honest ? Duration(800ms) : Duration{0};
    server.health.down_retry_delay = 500ms;
    if (tls_) server.tls = tls_->client;
    pool.servers.push_back({.server = server});
  }
  return pool;
}

/// What two pools are for: the spare one stands in for the main one, has all that it has, is moved
/// away from, or is only shown what comes.
routing::RouteOptions WorkerWorld::make_pair_route() {
  using Kind = routing::RouteOptions::Kind;
  using Read = routing::RouteOptions::Read;
  constexpr std::array kKinds = {Kind::Failover, Kind::Replicate, Kind::Migrate, Kind::Shadow};
  routing::RouteOptions route(kKinds[rng_.below(kKinds.size())]);
  route.children = {{pool_.name}, {std::string(kSpare)}};
  route.failover.causes.set();
  route.failover.on_miss = route.kind == Kind::Migrate || rng_.chance(0.5);
  if (route.kind == Kind::Migrate) route.answer = routing::RouteOptions::Answer::Main;
  if (route.kind == Kind::Replicate) {
    using Answer = routing::RouteOptions::Answer;
    constexpr std::array kAnswers = {Answer::All, Answer::First, Answer::Majority};
    constexpr std::array kReads = {Read::First, Read::Spread, Read::Fastest, Read::All};
    route.answer = kAnswers[rng_.below(kAnswers.size())];
    route.read = kReads[rng_.below(kReads.size())];
  }
  if (expect_ == Expect::Honest && rng_.chance(0.5)) route.fill = 60s;
  const bool both_are_written = route.kind == Kind::Replicate || route.kind == Kind::Migrate;
  if (expect_ == Expect::Exact && both_are_written && route.failover.on_miss) {
    of_clients_ = Expect::Ahead;
  }
  return route;
}

/// Some of the parts that may stand around any route.
routing::RouteOptions WorkerWorld::make_route() {
  using Kind = routing::RouteOptions::Kind;
  routing::RouteOptions route =
      main_count_ == servers_.size() ? routing::RouteOptions(pool_.name) : make_pair_route();
  for (const Kind kind : {Kind::Rewrite, Kind::Coalesce, Kind::RateLimit}) {
    if (!rng_.chance(0.3)) continue;
    routing::RouteOptions around(kind);
    around.rewrite.add = "v2:";
    around.per_second = around.burst = 1'000'000;
    around.children.push_back(std::move(route));
    route = std::move(around);
  }
  return route;
}

void WorkerWorld::make_worker() {
  pool_ = make_pool("main", 0, main_count_);
  proxy::WorkerOptions options;
  options.listeners = {{.socket = {.endpoint = kProxy}}};
  options.pools = {pool_};
  if (main_count_ < servers_.size()) {
    options.pools.push_back(make_pool(kSpare, main_count_, servers_.size()));
  }
  options.route = make_route();
  route_ = config::route_in_yaml(options.route);
  options.client.requests_per_turn = static_cast<int>(rng_.between(1, 64));
  options.client.output_high_water = ByteCount{rng_.between(1, 1024 * 1024)};
  shared_ = std::make_unique<proxy::Shared>(fleet_, memory_, registry_,
                                            static_cast<proxy::StatsSource&>(*this), log_, "test");
  LoopConditions conditions;
  conditions.wake_delay_max = rng_.between(Duration{0}, Duration(100us));
  conditions.poll_misses = 0.3;
  conditions.short_receives = rng_.chance(0.5) ? 0.2 : 0.0;
  conditions.spurious_ready = 0.1;
  conditions.sends_later = rng_.chance(0.5) ? 0.5 : 0.0;
  proxy_loop_ = std::make_unique<SimLoop>(network_, conditions);
  worker_ = std::make_unique<proxy::Worker>(options, *proxy_loop_, *shared_);
  records_ = fleet_.servers();
  for (const auto& server : records_) {
    server->set_address(*net::numeric_address(server->endpoint()));
  }
  const auto listening = worker_->listen(0, 1);
  if (!listening) leak_ = listening.error();
}

PathConditions WorkerWorld::client_path() {
  LinkConditions link;
  link.delay_max = link.delay_min + rng_.between(Duration{0}, Duration(1ms));
  link.chunk_max = rng_.chance(0.7) ? rng_.between(1, 3000) : 0;
  if (link.chunk_max > 0 && link.chunk_max < 400) link.delay_max = link.delay_min;
  link.buffer_max = rng_.between(2000, 200000);
  return {.to_server = link, .to_client = link};
}

std::unique_ptr<SimClient> WorkerWorld::make_client(SimLoop& loop, int id) {
  const std::size_t value_max = rng_.chance(0.2) ? 300'000 : 40'000;
  const net::Address proxy = *net::numeric_address(kProxy);
  Rng rng = rng_.fork();
  if (rng_.chance(0.4)) {
    return std::make_unique<BinarySimClient>(loop, proxy, id, rng, of_clients_, value_max);
  }
  return std::make_unique<TextSimClient>(loop, proxy, id, rng, of_clients_, value_max);
}

void WorkerWorld::make_clients() {
  const std::size_t count = rng_.between(1, 8);
  for (std::size_t i = 0; i < count; ++i) {
    network_.set_conditions(kProxy, client_path());
    Customer customer{.loop = std::make_unique<SimLoop>(network_), .client = nullptr};
    customer.leaves = rng_.chance(0.15);
    customer.client = make_client(*customer.loop, static_cast<int>(i));
    customers_.push_back(std::move(customer));
    proxy_loop_->run_for(100us);  // each gets the path that was meant for it
  }
}

void WorkerWorld::run() {
  for (int i = 0; i < 20'000 && !done() && complaint().empty(); ++i) step();
  for (Customer& customer : customers_) {
    if (!customer.client->closed()) customer.client->close();
  }
  proxy_loop_->run_for(10s);
  if (leak_.empty()) leak_ = check_counters();
  worker_.reset();
  if (leak_.empty() && memory_.used() != 0) leak_ = "memory is held by nobody";
}

/// Any servers but none at all, in any order.
void WorkerWorld::change_members() {
  std::vector<routing::PoolServer> members;
  while (members.empty()) {
    for (const routing::PoolServer& server : pool_.servers) {
      if (rng_.chance(0.6)) members.push_back(server);
    }
  }
  worker_->change_pool(pool_.name, routing::make_membership(pool_.placement, members));
}

void WorkerWorld::step() {
  Customer& customer = customers_[rng_.below(customers_.size())];
  if (rng_.chance(0.7)) customer.client->act(kRequestsEach);
  if (rng_.chance(0.3)) customer.client->set_receiving(rng_.chance(0.6));
  if (customer.leaves && rng_.chance(0.02)) customer.client->close();
  if (rng_.chance(0.02)) proxy_loop_->stall(rng_.between(Duration(1ms), Duration(800ms)));
  if (expect_ != Expect::Exact && rng_.chance(0.1)) change_members();
  if (rng_.chance(0.05) && (expect_ == Expect::Honest || nothing_is_owed())) {
    servers_[rng_.below(servers_.size())].server->close_connections();
  }
  if (expect_ == Expect::Honest && rng_.chance(0.003)) {
    ScriptedServer& server = *servers_[rng_.below(servers_.size())].server;
    server.stop();
    proxy_loop_->run_for(rng_.between(Duration(1ms), Duration(700ms)));
    server.start();
  }
  proxy_loop_->run_for(rng_.between(Duration(10us), Duration(5ms)));
  const bool all_sent = std::ranges::all_of(
      customers_, [](const Customer& c) { return c.client->sent() >= kRequestsEach; });
  if (all_sent) {
    for (Customer& c : customers_) {
      if (!c.client->closed()) c.client->set_receiving(true);
    }
  }
}

/// Neither to a client nor to us, who may wait for what no client waits for.
bool WorkerWorld::nothing_is_owed() const {
  const metrics::Snapshot now = registry_.snapshot();
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (now.gauge("server_owed", "server" + std::to_string(i)) != 0) return false;
  }
  return std::ranges::all_of(customers_, [](const Customer& c) { return c.client->owed() == 0; });
}

bool WorkerWorld::done() const {
  return std::ranges::all_of(customers_, [](const Customer& c) {
    return c.client->closed() || (c.client->sent() >= kRequestsEach && c.client->owed() == 0);
  });
}

std::string WorkerWorld::check_counters() const {
  const metrics::Snapshot now = registry_.snapshot();
  const std::uint64_t incidents = now.total("server_incidents");
  if (expect_ != Expect::Honest && incidents > 0) return "incidents of servers that did no wrong";
  if (now.gauge("clients") != 0) return "clients that are still counted";
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const std::string name = "server" + std::to_string(i);
    if (now.gauge("server_owed", name) != 0) return name + ": replies that are owed for ever";
    const std::int64_t connections = now.gauge("server_connections", name);
    if (connections < 0 || connections > 4) return name + ": connections that were not closed";
  }
  if (memory_.peak() > memory_.ceiling() + MiB(1).value) return "more memory than the ceiling";
  return {};
}

std::string WorkerWorld::complaint() const {
  for (const Customer& customer : customers_) {
    const SimClient& client = *customer.client;
    if (!client.complaint().empty()) return client.complaint();
    if (client.hung_up_on()) return "a client was hung up on";
    if (client.closed() && !customer.leaves && client.owed() > 0) return "a reply never came";
  }
  return leak_;
}

}  // namespace mcsteady::test
