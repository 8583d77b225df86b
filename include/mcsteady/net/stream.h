#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mcsteady/base/clock.h"

namespace mcsteady::net {

enum class StreamError {
  Refused,
  Reset,
  Unreachable,
  ConnectFailed,
  OurShortage,  // no descriptor, port or memory left here: says nothing of the peer
  SendFailed,
  ReceiveFailed,
  // Of TLS. Where it is about a certificate it is the peer's, but for TlsCertificateRefused.
  TlsExpired,  // or not valid yet
  TlsUnknownCa,
  TlsNameMismatch,
  TlsTimeout,   // of the handshake
  TlsProtocol,  // no version in common, or no TLS at all
  TlsNoSharedCipher,
  TlsPeerClosed,          // during the handshake
  TlsCertificateRefused,  // the peer will not have ours, or has shown none where it must
  TlsFailed,
};
struct Breakage {
  StreamError kind;
  int error_number;      // errno, for the log; 0 when there is none
  std::string reason{};  // TLS: in OpenSSL's words
};
const char* to_string(StreamError error);
bool is_of_tls(StreamError error);

/// Linux TCP_INFO, as far as it is evidence.
struct TcpEvidence {
  std::uint32_t segments_unacked = 0;
  std::uint32_t retransmits = 0;        // of the segment now at the head, in a row
  std::uint32_t retransmits_total = 0;  // in the connection's life
  std::chrono::microseconds rtt{0};
  std::chrono::milliseconds since_last_receive{0};
};

/// What the kernel knows of a connection at a moment: the evidence of a timeout.
struct TransportEvidence {
  std::uint64_t bytes_unread = 0;  // in the socket, not yet received by us
  std::uint64_t bytes_unsent = 0;  // in the socket, not yet acknowledged by the peer
  std::optional<TcpEvidence> tcp;  // unset on unix sockets
  bool in_handshake = false;       // TLS: connected, and not agreed yet
};

/// One connection as a road for bytes. It moves bytes by readiness (recv, writev) or by completion;
/// the caller cannot tell and must not care. The caller owns all memory:
///
///   receiving: the stream asks `room()` where bytes may land, and reports `on_received(n)` when n
///     of them have landed at its front. The room must stay in place until then. A receive that
///     filled less than its room was the end of what was there, and is not followed by another.
///   sending: after `flush()`, at the end of the loop's turn, the stream asks `pieces()` what to
///     send and reports `on_sent(n)`. The pieces must stay in place and in order until then. Where
///     not all went out, it asks again by itself as soon as more can go.
///
/// Callbacks come from the loop's turn, or from inside `look()` (the receiving ones). `close()` may
/// be called in any callback and is followed by none. The stream must not be destroyed inside a
/// callback of its own: close it, and destroy it at the end of the turn.
/// Thread: its loop's only.
class Stream {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    /// An outgoing connection is there. Not called for accepted ones.
    virtual void on_connected() {}
    /// Where the next bytes may land; never empty.
    virtual std::span<char> room() = 0;
    /// `count` bytes landed at the front of the last room; never 0.
    virtual void on_received(std::size_t count) = 0;
    /// `count` bytes came of which nothing can be told yet, such as the beginning of a TLS record:
    /// the peer is at work.
    virtual void on_progress(std::size_t count) { (void)count; }
    /// The peer will send no more. Called once; what it sent before has been reported before.
    virtual void on_end_of_file() = 0;
    /// Puts what is to be sent next into `out`, and returns how many pieces those are (0: nothing).
    virtual std::size_t pieces(std::span<iovec> out) = 0;
    /// The first `count` bytes of the pieces are taken: their memory is the caller's again.
    virtual void on_sent(std::size_t count) = 0;
    /// The connection is of no more use. Called once, and nothing after it.
    virtual void on_broken(Breakage breakage) = 0;
  };

  enum class Found { Bytes, Nothing, EndOfFile, Broken };

  virtual ~Stream() = default;

  /// Receiving is on from the start. Off: bytes wait in the kernel, and the peer in its turn.
  virtual void set_receiving(bool on) = 0;
  /// There is something to send: ask pieces() when this turn of the loop ends. Cheap to repeat.
  virtual void flush() = 0;
  /// The same, where more is likely to follow soon: it may wait for a turn that brings no bytes, or
  /// for a few turns, so that what comes in several turns leaves in one send. flush() ends that.
  virtual void flush_later() { flush(); }
  /// Looks at the socket directly, outside the loop: a poll with zero timeout and, where that shows
  /// nothing, one non-blocking receive all the same, because such a poll can miss what is there
  /// (seen about once in 3,600 on one runtime). What is found is reported as ever, by
  /// on_received, on_end_of_file or on_broken, before this returns. Receives until a receive comes
  /// back short, within a budget. Of an outgoing connection it first sees whether it is there by
  /// now (on_connected, on_broken). Finds nothing while receiving is off.
  virtual Found look() = 0;
  virtual TransportEvidence evidence() const = 0;
  /// No callback after this. Pending output is dropped. Idempotent.
  virtual void close() = 0;
  /// The same, but offers the socket `last` once. What it does not take at once is dropped.
  virtual void close_with(std::span<const char> /*last*/) { close(); }
  /// The same, for one who ends what the peer may go on with: says that no more will come, and
  /// behind the caller's back reads and drops for a bounded time what the peer still sends, so that
  /// no reset takes what it has not read yet.
  virtual void close_gently(std::span<const char> last = {}) { close_with(last); }
};

}  // namespace mcsteady::net
