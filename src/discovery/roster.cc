#include "discovery/roster.h"

#include <algorithm>
#include <utility>

namespace mcsteady::discovery {

bool Roster::on_listing(const std::vector<Candidate>& listed, TimePoint now) {
  if (listed.empty()) return false;
  std::vector<Candidate> members = listed;
  std::vector<Missing> missing;
  for (const Candidate& member : members_) {
    if (std::ranges::find(listed, member.at, &Candidate::at) != listed.end()) continue;
    const TimePoint since = missing_since(member.at, now);
    if (now - since >= hold_down_) continue;
    members.push_back(member);
    missing.push_back({member.at, since});
  }
  missing_ = std::move(missing);
  return std::exchange(members_, members) != members;
}

TimePoint Roster::missing_since(const net::Endpoint& at, TimePoint now) const {
  const auto known = std::ranges::find(missing_, at, &Missing::at);
  return known == missing_.end() ? now : known->since;
}

std::optional<TimePoint> Roster::decides_at() const {
  const auto first = std::ranges::min_element(missing_, {}, &Missing::since);
  if (first == missing_.end()) return std::nullopt;
  return first->since + hold_down_;
}

}  // namespace mcsteady::discovery
