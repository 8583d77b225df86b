#pragma once

#include <optional>

#include "mcsteady/base/clock.h"
#include "mcsteady/upstream/options.h"

namespace mcsteady::upstream {

/// Whether a server may be sent requests. It is told what happened and when, and owns no timer and
/// no socket, so a month of outages is a loop in a test.
///   Up    --(max_failures incidents in a row)--> Down, probe due after down_retry_delay
///   Down  --(probe failed)-----> Down, delay doubled up to down_retry_delay_max
///   Down  --(probe answered)---> Trial
///   Trial --(incident)---------> Down, delay doubled      Trial --(request answered)--> Up
/// A successful connect changes nothing: a server that accepts and then hangs must end in Down.
class Health {
 public:
  enum class State { Up, Down, Trial };

  /// `random`: in [0, 1); drawn by the caller for each delay, so that this stays a pure machine.
  explicit Health(const HealthOptions& options) : options_(options) {}

  void on_answered();
  void on_incident(TimePoint now, double random);
  void on_probe_answered();
  void on_probe_failed(TimePoint now, double random);
  /// It was taken down for a fault that was not its own: Up again, one incident from Down.
  void excuse();

  State state() const { return state_; }
  int failures() const { return failures_; }
  /// The next incident takes it down.
  bool on_the_edge() const {
    return state_ == State::Trial ||
           (state_ == State::Up && failures_ + 1 >= options_.max_failures);
  }
  std::optional<TimePoint> probe_at() const { return probe_at_; }  // set while Down
  Duration delay() const { return delay_; }

 private:
  void go_down(TimePoint now, Duration delay, double random);

  const HealthOptions options_;
  State state_ = State::Up;
  int failures_ = 0;
  Duration delay_{};
  std::optional<TimePoint> probe_at_;
};

const char* to_string(Health::State state);

}  // namespace mcsteady::upstream
