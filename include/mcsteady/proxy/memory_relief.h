#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "mcsteady/net/event_loop.h"

namespace mcsteady::proxy {

/// Finds the client that holds the most memory of the whole process, where several workers share
/// one ceiling, and has it closed.
///
/// At the ceiling itself a worker closes its own largest holder, at once. But the largest may be
/// another worker's. So a worker that finds memory tight, a little earlier, begins a round: each
/// worker says, in a turn of its own loop, what its largest client holds; the last to say so tells
/// the one with the most to close it. Nobody waits: where a worker is busy the round takes longer,
/// and there is never more than one.
///
/// Threads: ask() any worker's; join() and leave() only while no worker runs.
class MemoryRelief {
 public:
  /// A worker, asked in its own thread.
  class Member {
   public:
    virtual ~Member() = default;
    /// Bytes that its largest client holds; 0 where none is worth closing.
    virtual std::size_t largest_holding() const = 0;
    virtual void close_largest_of_all() = 0;
  };

  /// `loop` and `member` stay until the member leaves.
  void join(net::EventLoop& loop, Member& member);
  void leave(const Member& member);
  /// Memory is tight for `asker`. Where the largest client is its own, nothing happens: it acts by
  /// itself when it must. O(workers), and nothing while a round is on or a fruitless one just was.
  void ask(const Member& asker, TimePoint now);

 private:
  struct Seat {
    net::EventLoop& loop;
    Member& member;
    std::size_t holding = 0;  // in this round; written by the member's thread
  };
  void answer(Seat& seat);
  void conclude();

  std::vector<std::unique_ptr<Seat>> seats_;
  std::atomic<bool> on_{false};  // a round is
  std::atomic<std::size_t> answers_due_{0};
  const Member* asker_ = nullptr;  // of this round
  TimePoint asked_at_{};           // this round
  std::atomic<TimePoint::rep> quiet_until_{0};
};

}  // namespace mcsteady::proxy
