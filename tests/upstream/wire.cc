#include "upstream/wire.h"

#include <algorithm>
#include <string_view>

namespace mcsteady::upstream {
namespace {

std::size_t draw_record_size(test::Rng& rng, Coverage& coverage) {
  constexpr std::size_t kMax = 16384;
  switch (rng.below(4)) {
    case 0:
      ++coverage["tiny record"];
      return rng.between(1, 40);
    case 1:
      return rng.between(8180, 8204);  // about the reader's buffer
    case 2:
      ++coverage["full record"];
      return kMax;
    default:
      return rng.between(1, kMax);
  }
}

}  // namespace

Wire Wire::sealed(const ReaderCase& drawn, test::TlsPeer& peer, test::Rng& rng,
                  Coverage& coverage) {
  Wire wire;
  const auto seal = [&](std::string_view part) {
    while (!part.empty()) {
      const std::string_view record = part.substr(0, draw_record_size(rng, coverage));
      wire.bytes += peer.seal(record);
      wire.record_ends.push_back(wire.bytes.size());
      part.remove_prefix(record.size());
    }
  };
  const std::string_view whole = drawn.bytes;
  seal(whole.substr(0, drawn.sent));
  wire.sent = wire.bytes.size();
  const bool is_closed = drawn.ending == ReaderCase::Ending::Closed;
  if (is_closed && rng.chance(0.5)) {
    ++coverage["close_notify"];
    wire.last_words = peer.close_notify();
    return wire;
  }
  if (drawn.sent == whole.size()) return wire;
  const std::size_t next = wire.record_ends.size();
  seal(whole.substr(drawn.sent));
  ++coverage["ends within a record"];
  wire.sent += rng.below(wire.record_ends[next] - wire.sent);
  return wire;
}

}  // namespace mcsteady::upstream
