#include "bench/load.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace mcsteady::bench {
namespace {

constexpr Duration kSilenceMax = std::chrono::seconds(20);
constexpr std::size_t kReceiveSize = std::size_t{256} << 10;

TimePoint now() {
  return TimePoint(std::chrono::steady_clock::now().time_since_epoch());
}

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Load::Load(const LoadOptions& options, const Items& items, const net::Address& to)
    : options_(options), items_(items), buffer_(kReceiveSize), random_(options.seed) {
  for (std::size_t i = 0; i < options.clients; ++i) {
    clients_.push_back(
        std::make_unique<LoadClient>(connect_to(to), items, options.compare_every, counts_));
    epoll_.add(clients_.back()->fd(), EPOLLIN, clients_.back().get());
  }
}

Outcome Load::run(const Phase& phase) {
  phase_ = phase;
  if (phase.fill) phase_.operations = items_.options().key_count;
  outcome_ = {};
  issued_ = planned_ = 0;
  started_ = last_reply_ = now();
  issue_due(started_);
  if (phase.rate == 0) {
    for (const auto& client : clients_) refill(*client, started_);
  }
  while (!is_over(now())) wait_and_serve();
  outcome_.seconds = seconds_of(last_reply_ - started_);
  return std::move(outcome_);
}

bool Load::may_issue(TimePoint time) const {
  if (phase_.operations && issued_ >= *phase_.operations) return false;
  return !phase_.duration || time - started_ < *phase_.duration;
}

bool Load::is_over(TimePoint time) const {
  const bool answered = outcome_.latencies.size() == issued_;
  if (phase_.rate == 0) return answered && !may_issue(time);
  return answered && planned_ == issued_ && !until_next_due(time);
}

/// Unset in closed loop, and once the plan is at its end.
std::optional<Duration> Load::until_next_due(TimePoint time) const {
  if (phase_.rate == 0 || (phase_.operations && planned_ >= *phase_.operations)) {
    return std::nullopt;
  }
  const Duration at(static_cast<Duration::rep>(static_cast<double>(planned_) * 1e9 / phase_.rate));
  if (phase_.duration && at >= *phase_.duration) return std::nullopt;
  return started_ + at - time;
}

void Load::issue_due(TimePoint time) {
  for (;;) {
    const std::optional<Duration> wait = until_next_due(time);
    if (!wait || *wait > Duration{0}) return;
    LoadClient& client = *clients_[planned_ % clients_.size()];
    client.overdue.push_back(time + *wait);
    ++planned_;
    refill(client, time);
  }
}

void Load::refill(LoadClient& client, TimePoint time) {
  while (client.in_flight() < options_.depth) {
    if (phase_.rate == 0) {
      if (!may_issue(time)) break;
      issue(client, time);
    } else {
      if (client.overdue.empty()) break;
      issue(client, client.overdue.front());
      client.overdue.pop_front();
    }
  }
  send(client);
}

void Load::issue(LoadClient& client, TimePoint due) {
  const std::size_t key = (phase_.fill ? issued_ : random_()) % items_.options().key_count;
  const double share = static_cast<double>(random_()) / static_cast<double>(random_.max());
  if (!phase_.fill && share < options_.get_share) {
    client.add_get(key, due);
  } else {
    client.add_set(key, due);
  }
  ++issued_;
}

void Load::send(LoadClient& client) {
  const bool waited = client.has_unsent();
  if (!client.send()) {
    epoll_.change(client.fd(), EPOLLIN | EPOLLOUT, &client);
  } else if (waited) {
    epoll_.change(client.fd(), EPOLLIN, &client);
  }
}

void Load::wait_and_serve() {
  const TimePoint before = now();
  const Duration wait = std::max(until_next_due(before).value_or(kSilenceMax), Duration{0});
  const timespec limit{.tv_sec = wait.count() / 1'000'000'000,
                       .tv_nsec = wait.count() % 1'000'000'000};
  std::array<epoll_event, 256> events;
  const int count = epoll_pwait2(epoll_.fd(), events.data(), events.size(), &limit, nullptr);
  if (count < 0 && errno != EINTR) fail_with_errno("epoll_pwait2");
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    LoadClient& client = *static_cast<LoadClient*>(event.data.ptr);
    if ((event.events & EPOLLOUT) != 0) send(client);
    if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) receive(client);
  }
  const TimePoint after = now();
  if (after - last_reply_ > kSilenceMax && outcome_.latencies.size() < issued_) {
    fail("no reply came for " + std::to_string(seconds_of(kSilenceMax)) + " s");
  }
  issue_due(after);
}

void Load::receive(LoadClient& client) {
  ended_.clear();
  while (client.receive(buffer_, ended_)) {
  }
  if (ended_.empty()) return;
  last_reply_ = now();
  for (const TimePoint due : ended_) outcome_.latencies.push_back(last_reply_ - due);
  refill(client, last_reply_);
}

}  // namespace mcsteady::bench
