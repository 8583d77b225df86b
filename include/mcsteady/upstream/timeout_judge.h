#pragma once

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/clock.h"
#include "mcsteady/net/stream.h"

namespace mcsteady::upstream {

/// What was seen when a wait ran out, after the socket had been looked at.
struct TimeoutEvidence {
  Duration timer_late_by{};  // how far past its due time our own timer fired
  Duration stalled{};        // time within the wait in which we did not look at anything
  ByteCount found_unread;    // what the look at the socket brought
  ByteCount output_unsent;   // bytes of ours that the kernel has not taken
  net::TransportEvidence transport;
};

enum class TimeoutVerdict {
  Recovered,    // the reply was there
  WeStalled,    // no telling yet: the server deserves one fresh wait
  NetworkLost,  // the kernel is sending our bytes again, or still: nobody acknowledged them
  ServerLate,
};

/// Pure. `stall_min`: from how late a timer, or how long a stall, on the silence is called ours.
constexpr TimeoutVerdict judge(const TimeoutEvidence& seen, Duration stall_min) {
  if (seen.found_unread > ByteCount{0}) return TimeoutVerdict::Recovered;
  if (seen.timer_late_by >= stall_min || seen.stalled >= stall_min)
    return TimeoutVerdict::WeStalled;
  const auto& tcp = seen.transport.tcp;
  // A retransmit in a row with bytes unacknowledged: the peer's kernel does not answer. A stopped
  // memcached's kernel does acknowledge.
  if (tcp && tcp->segments_unacked > 0 && tcp->retransmits > 0) return TimeoutVerdict::NetworkLost;
  return TimeoutVerdict::ServerLate;
}

}  // namespace mcsteady::upstream
