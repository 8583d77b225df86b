#pragma once

#include <list>

#include "net/handles.h"

namespace mcsteady::net {

/// Sockets of connections that we have ended while the peer may still be sending. A kernel that has
/// bytes nobody reads, or gets some after the close, answers with a reset, and a reset takes from
/// the peer what it has not read yet: our last words. So the end goes out first, and what comes is
/// read and dropped until the peer has ended, too, or for a while.
/// Owner: the loop. Thread: its loop's.
class LingeringSockets {
 public:
  static constexpr timeval kTimeMax{.tv_sec = 1, .tv_usec = 0};
  static constexpr std::size_t kBytesMax = std::size_t{1} << 20;  // of one socket
  static constexpr std::size_t kSocketsMax = 256;                 // one more is closed at once

  explicit LingeringSockets(event_base* base) : base_(base) {}
  LingeringSockets(const LingeringSockets&) = delete;
  LingeringSockets& operator=(const LingeringSockets&) = delete;

  /// `socket`: non-blocking, with everything sent that is to be sent.
  void take(UniqueFd socket);
  std::size_t size() const { return sockets_.size(); }

 private:
  struct Socket {
    LingeringSockets& all;
    UniqueFd fd;
    std::size_t dropped = 0;
    EventPtr readable{};
    EventPtr timeout{};
    std::list<Socket>::iterator self{};
  };
  /// False: it is over.
  static bool drop_input(Socket& socket);

  event_base* base_;
  std::list<Socket> sockets_;
};

}  // namespace mcsteady::net
