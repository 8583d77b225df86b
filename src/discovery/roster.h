#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discovery/candidate.h"

namespace mcsteady::discovery {

/// Who belongs to a pool, by what its source answers over time. Who is named belongs to it at once.
/// Who is not named any more stays until an answer has left it out for `hold_down`: a name server
/// that forgets a server for a moment must not move its keys there and back. An answer without
/// servers says nothing, and neither does silence. Pure.
class Roster {
 public:
  explicit Roster(Duration hold_down) : hold_down_(hold_down) {}

  /// False: nothing has changed.
  bool on_listing(const std::vector<Candidate>& listed, TimePoint now);

  /// In the order of the last listing, and those that are missing in it behind.
  const std::vector<Candidate>& members() const { return members_; }
  /// When the hold-down of the first of those that are missing ends: time to ask again.
  std::optional<TimePoint> decides_at() const;
  std::size_t missing() const { return missing_.size(); }

 private:
  struct Missing {
    net::Endpoint at;
    TimePoint since;
  };
  TimePoint missing_since(const net::Endpoint& at, TimePoint now) const;

  const Duration hold_down_;
  std::vector<Candidate> members_;
  std::vector<Missing> missing_;  // members that the last listing did not name
};

}  // namespace mcsteady::discovery
