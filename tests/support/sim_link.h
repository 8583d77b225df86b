#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mcsteady/base/clock.h"
#include "support/rng.h"

namespace mcsteady::test {

/// How a direction of a connection ends: a FIN, or an RST.
enum class LinkEnd : std::uint8_t { None, Fin, Reset };

struct LinkBreak {
  std::size_t at = 0;  // bytes that still arrive; the rest is lost
  LinkEnd end = LinkEnd::Reset;
};

/// What a network does to the bytes of one direction. Each connection draws from these anew.
struct LinkConditions {
  Duration delay_min = std::chrono::microseconds(50);
  Duration delay_max = std::chrono::microseconds(50);
  // What is sent at once is cut into random chunks of up to so many bytes, every other one of which
  // comes up to delay_max - delay_min behind the one in front. 0: arrives as sent.
  std::size_t chunk_max = 0;
  std::size_t buffer_max = 256 * 1024;     // of both sockets together; past it a send is short
  std::optional<LinkBreak> break_at = {};  // always there
  double break_chance = 0;                 // of a connection: broken at a random byte...
  std::size_t break_within = 4096;         // ...of its first so many
};

/// One direction of a simulated connection: the sender's socket buffer, the wire, and the
/// receiver's socket buffer. Chunks arrive in order, each after its own delay.
class SimLink {
 public:
  SimLink(const LinkConditions& conditions, Rng rng);

  // The sender's end.
  /// Takes as much as there is room for and returns how much that was.
  std::size_t send(std::string_view bytes, TimePoint now);
  std::size_t room() const;
  /// Behind what was sent. A Reset may follow a Fin.
  void finish(LinkEnd end, TimePoint now);
  LinkEnd finished() const { return end_; }

  // The wire.
  std::optional<TimePoint> next_arrival() const;
  void arrive(TimePoint now);
  /// Held: nothing arrives until it is let go, as if every packet were lost.
  void hold(bool on) { held_ = on; }

  // The receiver's end.
  std::string_view unread() const { return std::string_view(arrived_).substr(taken_); }
  std::size_t receive(std::span<char> into);
  /// What stands behind the unread bytes, once it has arrived.
  LinkEnd end() const { return end_arrived_; }
  /// The receiver closed: what arrives from now on finds nobody.
  void abandon() { abandoned_ = true; }
  bool found_nobody() const { return abandoned_ && taken_ < arrived_.size(); }
  void discard_unread();

  // What the kernels know.
  std::size_t in_flight() const { return in_flight_; }
  std::size_t chunks_in_flight() const { return travelling_.size(); }
  std::optional<TimePoint> oldest_sent_at() const;
  bool held() const { return held_; }
  TimePoint last_arrival() const { return last_arrived_; }
  /// The break of the conditions has happened, by a Reset: both ends are to see it.
  bool broke_with_reset() const { return broken_ && end_ == LinkEnd::Reset; }
  bool idle() const { return travelling_.empty() && end_ == end_arrived_; }

 private:
  struct Chunk {
    TimePoint sent, arrives;
    std::string bytes;
  };
  TimePoint draw_arrival(TimePoint now);
  TimePoint draw_gap();
  void put_on_wire(std::string_view bytes, TimePoint now);

  LinkConditions conditions_;
  Rng rng_;
  std::optional<LinkBreak> break_;
  std::deque<Chunk> travelling_;
  std::string arrived_;
  std::size_t taken_ = 0;  // bytes of arrived_ that were received
  std::size_t in_flight_ = 0;
  std::size_t sent_ = 0;  // in the connection's life
  LinkEnd end_ = LinkEnd::None;
  LinkEnd end_arrived_ = LinkEnd::None;
  TimePoint end_arrives_{};
  TimePoint newest_arrival_{};  // of what was put on the wire: nothing overtakes
  TimePoint last_arrived_{};
  bool broken_ = false;
  bool held_ = false;
  bool abandoned_ = false;
};

}  // namespace mcsteady::test
