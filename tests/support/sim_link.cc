#include "support/sim_link.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace mcsteady::test {

SimLink::SimLink(const LinkConditions& conditions, Rng rng)
    : conditions_(conditions), rng_(rng), break_(conditions.break_at) {
  if (!break_ && rng_.chance(conditions_.break_chance)) {
    break_ = LinkBreak{.at = rng_.below(conditions_.break_within),
                       .end = rng_.chance(0.5) ? LinkEnd::Reset : LinkEnd::Fin};
  }
}

std::size_t SimLink::room() const {
  const std::size_t held = in_flight_ + unread().size();
  return held >= conditions_.buffer_max ? 0 : conditions_.buffer_max - held;
}

std::size_t SimLink::send(std::string_view bytes, TimePoint now) {
  if (broken_ || end_ == LinkEnd::Reset) return bytes.size();  // lost: the sender cannot know yet
  assert(end_ == LinkEnd::None && "sending behind its own end");
  const std::size_t taken = std::min(bytes.size(), room());
  std::string_view sent = bytes.substr(0, taken);
  const bool breaks = break_ && sent_ + taken >= break_->at;
  if (breaks) sent = sent.substr(0, break_->at - std::min(sent_, break_->at));
  put_on_wire(sent, now);
  sent_ += taken;
  if (breaks) {
    finish(break_->end, now);
    broken_ = true;
  }
  return taken;
}

void SimLink::put_on_wire(std::string_view bytes, TimePoint now) {
  in_flight_ += bytes.size();
  TimePoint arrives = draw_arrival(now);
  while (!bytes.empty()) {
    const std::size_t size =
        conditions_.chunk_max == 0
            ? bytes.size()
            : std::min<std::size_t>(bytes.size(), rng_.between(1, conditions_.chunk_max));
    travelling_.push_back(
        {.sent = now, .arrives = arrives, .bytes = std::string(bytes.substr(0, size))});
    bytes.remove_prefix(size);
    if (!bytes.empty()) arrives = draw_gap();
  }
}

TimePoint SimLink::draw_gap() {
  const Duration most = conditions_.delay_max - conditions_.delay_min;
  if (rng_.chance(0.5)) newest_arrival_ += rng_.between(Duration{0}, most);
  return newest_arrival_;
}

TimePoint SimLink::draw_arrival(TimePoint now) {
  const TimePoint own = now + rng_.between(conditions_.delay_min, conditions_.delay_max);
  newest_arrival_ = std::max(newest_arrival_, own);
  return newest_arrival_;
}

void SimLink::finish(LinkEnd end, TimePoint now) {
  if (broken_ || end <= end_) return;
  end_ = end;
  end_arrives_ = draw_arrival(now);
}

std::optional<TimePoint> SimLink::next_arrival() const {
  if (held_) return std::nullopt;
  if (!travelling_.empty()) return travelling_.front().arrives;
  if (end_ != end_arrived_) return end_arrives_;
  return std::nullopt;
}

void SimLink::arrive(TimePoint now) {
  if (held_) return;
  while (!travelling_.empty() && travelling_.front().arrives <= now) {
    in_flight_ -= travelling_.front().bytes.size();
    arrived_ += travelling_.front().bytes;
    last_arrived_ = now;
    travelling_.pop_front();
  }
  if (travelling_.empty() && end_ != end_arrived_ && end_arrives_ <= now) end_arrived_ = end_;
}

std::size_t SimLink::receive(std::span<char> into) {
  const std::size_t count = std::min(into.size(), unread().size());
  if (count > 0) std::memcpy(into.data(), unread().data(), count);
  taken_ += count;
  if (taken_ == arrived_.size()) {
    discard_unread();
  } else if (taken_ > arrived_.size() / 2) {
    arrived_.erase(0, std::exchange(taken_, 0));
  }
  return count;
}

void SimLink::discard_unread() {
  arrived_.clear();
  taken_ = 0;
}

std::optional<TimePoint> SimLink::oldest_sent_at() const {
  if (travelling_.empty()) return std::nullopt;
  return travelling_.front().sent;
}

}  // namespace mcsteady::test
