#include "mcsteady/proxy/memory_relief.h"

#include <algorithm>

namespace mcsteady::proxy {

namespace {
// How long no round follows on one that closed nobody: it would find the same.
constexpr Duration kQuiet = std::chrono::milliseconds(10);
}  // namespace

void MemoryRelief::join(net::EventLoop& loop, Member& member) {
  seats_.push_back(std::make_unique<Seat>(loop, member));
}

void MemoryRelief::leave(const Member& member) {
  std::erase_if(seats_, [&](const auto& seat) { return &seat->member == &member; });
}

void MemoryRelief::ask(const Member& asker, TimePoint now) {
  if (seats_.size() < 2 || on_.load(std::memory_order_relaxed)) return;
  if (now.time_since_epoch().count() < quiet_until_.load(std::memory_order_relaxed)) return;
  if (on_.exchange(true, std::memory_order_acquire)) return;
  asker_ = &asker;
  asked_at_ = now;
  answers_due_.store(seats_.size(), std::memory_order_relaxed);
  for (const auto& seat : seats_) {
    seat->loop.post([this, &seat = *seat] { answer(seat); });
  }
}

void MemoryRelief::answer(Seat& seat) {
  seat.holding = seat.member.largest_holding();
  if (answers_due_.fetch_sub(1, std::memory_order_acq_rel) == 1) conclude();
}

void MemoryRelief::conclude() {
  const auto most = std::ranges::max_element(
      seats_, {}, [](const std::unique_ptr<Seat>& seat) { return seat->holding; });
  Seat& seat = **most;
  if (seat.holding == 0 || &seat.member == asker_) {
    quiet_until_.store((asked_at_ + kQuiet).time_since_epoch().count(), std::memory_order_relaxed);
    on_.store(false, std::memory_order_release);
    return;
  }
  // The round is over when it has had its effect, so that the next one sees that.
  seat.loop.post([this, &seat] {
    seat.member.close_largest_of_all();
    on_.store(false, std::memory_order_release);
  });
}

}  // namespace mcsteady::proxy
