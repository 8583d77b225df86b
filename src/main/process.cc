#include "main/process.h"

#include <sys/resource.h>

#include <algorithm>
#include <random>

namespace mcsteady {

namespace {
// Before the first client is served: most names are found at once.
constexpr Duration kFirstLookup = std::chrono::seconds(2);
constexpr Duration kLookupPoll = std::chrono::milliseconds(5);
// Descriptors are kept for so many servers of a pool that has a source of them.
constexpr std::size_t kFoundServers = 100;

admin::StatsFacts facts(const config::Config& config, const std::string& version, TimePoint now) {
  std::vector<net::Endpoint> listeners;
  listeners.reserve(config.worker.listeners.size());
  for (const auto& listener : config.worker.listeners) {
    listeners.push_back(listener.socket.endpoint);
  }
  return {.version = version,
          .workers = config.workers,
          .clients_max = config.worker.client.clients_max,
          .started_at = now,
          .settings = admin::settings_of(config.worker, config.workers, config.memory_max),
          .listeners = std::move(listeners)};
}

/// How many clients leave descriptors for everything else: connections to servers, and as many
/// again while retired ones end, listeners, and what each loop needs.
std::size_t clients_within_descriptors(const config::Config& config) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return config.worker.client.clients_max;
  std::size_t servers = 0;
  for (const routing::PoolOptions& pool : config.worker.pools) {
    if (pool.source.kind != routing::SourceOptions::Kind::List) {
      servers += kFoundServers * static_cast<std::size_t>(pool.common.connections);
    }
    for (const routing::PoolServer& entry : pool.servers) {
      servers += static_cast<std::size_t>(entry.server.connections);
      if (entry.server.large_value > ByteCount{0}) ++servers;
    }
  }
  const std::size_t each_worker = 2 * servers + config.worker.listeners.size() + 8;
  const std::size_t reserved = 16 + static_cast<std::size_t>(config.workers) * each_worker;
  return limit.rlim_cur > reserved ? limit.rlim_cur - reserved : 1;
}

config::Config with_descriptors(config::Config config, Log& log) {
  std::size_t& clients = config.worker.client.clients_max;
  const std::size_t possible = clients_within_descriptors(config);
  if (clients > possible) {
    log.warn("the descriptor limit allows fewer clients than limits.clients",
             {{"limits.clients", clients}, {"clients", possible}});
    clients = possible;
  }
  return config;
}

/// For probing whether a port is free: it accepts nothing.
class NoClients final : public net::Listener::Handler {
  void on_accepted(std::unique_ptr<net::AcceptedSocket>) override {}
};
}  // namespace

Process::Process(const config::Config& config, OutputLog& log, const std::string& version)
    : config_(with_descriptors(config, log)),
      log_(log),
      memory_(config.memory_max),
      fleet_(log, std::random_device{}()),
      stats_(facts(config_, version, clock_.now()), clock_, registry_, memory_, fleet_),
      shared_{.fleet = fleet_,
              .memory = memory_,
              .registry = registry_,
              .stats = stats_,
              .log = log,
              .version = version},
      credential_files_(log, registry_),
      tls_files_(config_.tls, log, registry_) {
  warn_of_unverified();
  make_authenticators();
}

Process::~Process() = default;

void Process::warn_of_unverified() const {
  for (const routing::PoolOptions& pool : config_.worker.pools) {
    const bool is_list = !pool.servers.empty();
    const auto& tls = is_list ? pool.servers.front().server.tls : pool.common.tls;
    if (!tls || tls->options().verify) continue;
    log_.warn("servers are not verified: anyone may stand in for them", {{"pool", pool.name}});
  }
}

void Process::make_authenticators() {
  for (auto& [path, credentials] : config_.credentials) {
    auto& made = shared_.authenticators[path];
    made = std::make_unique<proxy::Authenticator>(std::move(credentials), background_);
    credential_files_.watch(path, *made);
  }
  config_.credentials.clear();
}

Result<void, std::string> Process::open() {
  lanes_.resize(static_cast<std::size_t>(config_.workers));
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (auto opened = open_lane(i); !opened) return opened;
  }
  return find_names();
}

Result<void, std::string> Process::find_names() {
  auto loop = net::make_event_loop(config_.io);
  if (!loop) return Unexpected{loop.error()};
  loop_ = std::move(*loop);
  signals_.start(*loop_, [this](Signals::Event event) { on_signal(event); });
  auto resolver = net::make_resolver(*loop_, config_.resolver);
  if (!resolver) return Unexpected{resolver.error()};
  resolver_ = std::move(*resolver);
  directory_ = std::make_unique<discovery::Directory>(
      *loop_, *resolver_, fleet_, log_, registry_, config_.ttl_limits,
      static_cast<discovery::Directory::Listener&>(*this));
  for (const routing::PoolOptions& pool : config_.worker.pools) directory_->add(pool);
  fleet_.set_on_doubt([this] { loop_->post([this] { directory_->look_at_doubts(); }); });
  wait_for_first_answers();
  return {};
}

void Process::wait_for_first_answers() {
  const TimePoint until = loop_->now() + kFirstLookup;
  const auto goes_on = [&] {
    return !stopping_ && !directory_->is_settled() && loop_->now() < until;
  };
  const auto poll = loop_->make_timer([this](TimePoint) { loop_->stop(); });
  while (goes_on()) {
    poll->set(loop_->now() + kLookupPoll);
    loop_->run();
  }
}

Result<void, std::string> Process::open_lane(std::size_t index) {
  auto& listeners = config_.worker.listeners;
  auto loop = net::make_event_loop(config_.io);
  if (!loop) return Unexpected{loop.error()};
  Lane& lane = lanes_[index];
  lane.loop = std::move(*loop);
  const bool several = lanes_.size() > 1;
  if (several && index == 0) {
    if (auto free = refuse_taken_ports(*lane.loop); !free) return free;
  }
  // A unix socket cannot be bound twice: the others share the first worker's.
  for (std::size_t i = 0; index == 1 && i < listeners.size(); ++i) {
    if (!listeners[i].socket.endpoint.is_unix()) continue;
    listeners[i].socket.shared_descriptor = lanes_[0].worker->descriptor(i);
  }
  config_.worker.started_at = std::chrono::system_clock::now();
  lane.worker = std::make_unique<proxy::Worker>(config_.worker, *lane.loop, shared_);
  if (auto opened = lane.worker->listen(0, listeners.size()); !opened) return opened;
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    listeners[i].socket.endpoint =
        lane.worker->endpoint(i);  // port 0: the others share what was picked
    if (index == 0) log_.info("listening", {{"address", listeners[i].socket.endpoint.text()}});
  }
  return {};
}

/// With SO_REUSEPORT another process's listener would not be noticed, and would share our clients.
Result<void, std::string> Process::refuse_taken_ports(net::EventLoop& loop) const {
  NoClients nobody;
  for (const proxy::ListenerOptions& listener : config_.worker.listeners) {
    net::ListenOptions alone = listener.socket;
    if (alone.endpoint.is_unix() || alone.endpoint.port == 0) continue;
    alone.share_port = false;
    if (auto probe = loop.listen(alone, nobody); !probe) return Unexpected{probe.error()};
  }
  return {};
}

void Process::run() {
  for (Lane& lane : lanes_) lane.thread = std::thread([&lane] { lane.loop->run(); });
  log_.info("ready", {{"version", shared_.version},
                      {"workers", config_.workers},
                      {"servers", fleet_.servers().size()}});
  if (config_.metrics_interval > Duration{0}) {
    metrics_line_ = std::make_unique<admin::MetricsLine>(log_, registry_, memory_, fleet_);
    report_timer_ = loop_->make_timer([this](TimePoint) { report(); });
    report_timer_->set(loop_->now() + config_.metrics_interval);
  }
  if (!credential_files_.empty() || !tls_files_.empty()) {
    files_timer_ = loop_->make_timer([this](TimePoint) { look_at_files(); });
    look_at_files();
  }
  while (!stopping_) loop_->run();
  stop();
  if (metrics_line_) metrics_line_->write();
}

void Process::report() {
  metrics_line_->write();
  report_timer_->set(loop_->now() + config_.metrics_interval);
}

void Process::look_at_files() {
  credential_files_.look();
  tls_files_.look();
  files_timer_->set(loop_->now() + CredentialFiles::kInterval);
}

void Process::on_signal(Signals::Event event) {
  if (event == Signals::Event::Reopen) return reopen();
  stopping_ = true;
  loop_->stop();
}

void Process::reopen() {
  if (auto reopened = log_.reopen(); !reopened) {
    log_.error("cannot open the log file again", {{"error", reopened.error()}});
  } else {
    log_.info("log opened again");
  }
  credential_files_.read_all();
  tls_files_.load_all();
}

void Process::on_members(const std::string& pool, routing::MembershipPtr members) {
  for_each_worker([pool, members](proxy::Worker& worker) { worker.change_pool(pool, members); });
}

void Process::on_addresses_changed() {
  for_each_worker([](proxy::Worker& worker) { worker.on_addresses_changed(); });
}

void Process::for_each_worker(const std::function<void(proxy::Worker&)>& work) {
  for (Lane& lane : lanes_) {
    if (lane.thread.joinable()) {
      lane.loop->post([&lane, work] { work(*lane.worker); });
    } else {
      work(*lane.worker);
    }
  }
}

void Process::stop() {
  log_.info("stopping: letting requests in flight finish");
  for (Lane& lane : lanes_) {
    lane.loop->post([&lane] { lane.worker->drain([&lane] { lane.loop->stop(); }); });
  }
  for (Lane& lane : lanes_) lane.thread.join();
  background_.stop();
  log_.info("stopped");
}

}  // namespace mcsteady
