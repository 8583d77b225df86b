#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "bench/items.h"
#include "bench/reply_check.h"
#include "bench/sockets.h"
#include "mcsteady/base/clock.h"

namespace mcsteady::bench {

/// One connection of the load: requests out, replies in and checked, and when each was due. It
/// decides nothing; Load tells it what to ask and when to look.
class LoadClient {
 public:
  LoadClient(Fd socket, const Items& items, std::uint64_t compare_every, CheckCounts& counts);

  int fd() const { return socket_.get(); }
  std::size_t in_flight() const { return in_flight_.size(); }

  /// Operations wait here for send(). `due`: from when its latency counts.
  void add_get(std::size_t first_key, TimePoint due);
  void add_set(std::size_t key, TimePoint due);
  /// Sends what waits, in one call where the socket takes it. False: it does not take all.
  bool send();
  bool has_unsent() const { return first_unsent_ < unsent_.size(); }
  /// Receives once, into `buffer`, and puts the due time of each operation that ended into `ended`.
  /// False: there was no more than this.
  bool receive(std::span<char> buffer, std::vector<TimePoint>& ended);

  // In open loop, operations whose time has come while this connection was full.
  std::deque<TimePoint> overdue;

 private:
  void add_piece(std::string_view piece);

  Fd socket_;
  const Items& items_;
  ReplyCheck check_;
  std::deque<TimePoint> in_flight_;
  std::vector<iovec> unsent_;
  std::size_t first_unsent_ = 0;
};

}  // namespace mcsteady::bench
