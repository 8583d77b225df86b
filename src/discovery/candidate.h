#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mcsteady/base/clock.h"
#include "mcsteady/net/address.h"

namespace mcsteady::discovery {

/// A server as a source names it.
struct Candidate {
  net::Endpoint at;  // who it is
  std::uint32_t weight = 1;
  std::optional<net::Address> address;  // where it is, if the source says so
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// All servers that a source knows at a time, in the order in which placement is to have them.
struct Listing {
  std::vector<Candidate> candidates;
  Duration ttl{0};
  std::string evidence;  // for log lines: what the source has said
};

}  // namespace mcsteady::discovery
