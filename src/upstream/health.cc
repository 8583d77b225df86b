#include "mcsteady/upstream/health.h"

#include <algorithm>

namespace mcsteady::upstream {

void Health::on_answered() {
  if (state_ == State::Down) return;  // only a probe lifts it
  state_ = State::Up;
  failures_ = 0;
}

void Health::on_incident(TimePoint now, double random) {
  if (state_ == State::Down) return;  // was in flight when it went down, so it tells nothing new
  ++failures_;
  if (state_ == State::Trial) return go_down(now, delay_ * 2, random);
  if (failures_ >= options_.max_failures) go_down(now, options_.down_retry_delay, random);
}

void Health::on_probe_answered() {
  if (state_ != State::Down) return;
  state_ = State::Trial;
  probe_at_.reset();
}

void Health::on_probe_failed(TimePoint now, double random) {
  if (state_ == State::Down) go_down(now, delay_ * 2, random);
}

void Health::excuse() {
  if (state_ != State::Down) return;
  state_ = State::Up;
  failures_ = options_.max_failures - 1;
  probe_at_.reset();
}

void Health::go_down(TimePoint now, Duration delay, double random) {
  const Duration longest = std::max(options_.down_retry_delay, options_.down_retry_delay_max);
  state_ = State::Down;
  delay_ = std::min(delay, longest);
  // Jitter only shortens: "back within down_retry_delay" stays true.
  const double share = 1.0 - options_.jitter * random;
  probe_at_ =
      now + Duration(static_cast<Duration::rep>(static_cast<double>(delay_.count()) * share));
}

const char* to_string(Health::State state) {
  switch (state) {
    case Health::State::Up:
      return "up";
    case Health::State::Down:
      return "down";
    case Health::State::Trial:
      return "trial";
  }
  return "?";
}

}  // namespace mcsteady::upstream
