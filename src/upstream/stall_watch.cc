#include "mcsteady/upstream/stall_watch.h"

#include <algorithm>

namespace mcsteady::upstream {

void StallWatch::on_beat(TimePoint due, TimePoint now) {
  last_lag_ = std::max(now - due, Duration{0});
  if (last_lag_ < noise_) return;
  stalls_[next_] = {due, now};
  next_ = (next_ + 1) % stalls_.size();
}

Duration StallWatch::stalled(TimePoint from, TimePoint to) const {
  Duration sum{0};
  for (const Stall& stall : stalls_) {
    const TimePoint begin = std::max(stall.begin, from);
    const TimePoint end = std::min(stall.end, to);
    if (begin < end) sum += end - begin;
  }
  return sum;
}

}  // namespace mcsteady::upstream
