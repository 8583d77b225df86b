#include "mcsteady/upstream/context.h"

namespace mcsteady::upstream {

StallBeat::StallBeat(net::EventLoop& loop, const ExchangePool& exchanges,
                     metrics::Histogram& loop_lag)
    : loop_(loop), exchanges_(exchanges), loop_lag_(loop_lag) {
  timer_ = loop_.make_timer([this](TimePoint due) { on_due(due); });
}

void StallBeat::start() {
  timer_->set(loop_.now() + kInterval);
}

void StallBeat::on_due(TimePoint due) {
  const TimePoint now = loop_.now();
  watch_.on_beat(due, now);
  loop_lag_.record(watch_.last_lag());
  if (exchanges_.in_use() > 0) timer_->set(now + kInterval);
}

}  // namespace mcsteady::upstream
