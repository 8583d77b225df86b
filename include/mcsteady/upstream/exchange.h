#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mcsteady/base/clock.h"
#include "mcsteady/net/block.h"
#include "mcsteady/protocol/reply.h"

namespace mcsteady::upstream {

/// Why a request got no reply from its server. The order is that of the metrics.
enum class Failure : std::uint8_t {
  ServerLate,       // a wait ran out, and the network was seen to have delivered our bytes
  NetworkLost,      // a wait ran out while the kernel was still sending our bytes again
  RequestDeadline,  // its whole time with us ran out, wherever it was
  ConnectTimeout,
  ConnectRefused,
  ConnectFailed,  // no route, no such socket, a name that does not resolve, ...
  ServerFull,     // the server is at its connection limit, said so, and hung up
  OurShortage,    // we have no descriptor, port or memory for a socket left
  TlsExpired,     // the server's certificate, or it is not valid yet
  TlsUnknownCa,
  TlsNameMismatch,
  TlsTimeout,   // connected, and the handshake took too long
  TlsProtocol,  // no version in common, or no TLS there
  TlsNoSharedCipher,
  TlsPeerClosed,          // during the handshake
  TlsCertificateRefused,  // ours, by the server
  TlsFailed,
  ConnectionLost,  // closed or reset with replies owed
  BadReply,        // bytes that are no reply: the connection was out of step
  ValueTooLarge,   // over limits.value
  NoMemory,        // over limits.memory
  ServerDown,      // marked down: nothing was sent
  NoServers,       // discovery has not found any server of the pool yet
  Refused,         // by the route: no server was asked
};
inline constexpr std::size_t kFailureCount = static_cast<std::size_t>(Failure::Refused) + 1;
/// A short name for metrics and logs ("server_late"), and a phrase for error lines.
const char* to_string(Failure failure);
const char* describe(Failure failure);

/// A line of a reply with its value. `wire` is the whole of it as the server sent it: line, value,
/// CRLF. Small ones are views into the reader's buffer, good during the call; large ones were
/// received into a block of their own, which starts with `wire` and which the owner may keep.
struct Item {
  protocol::ReplyLine line;
  std::string_view wire;
  net::Block large;
};

/// One command on its way to a server and its reply on the way back. The connection that holds it
/// owns it; its owner, who asked for it, is told of the end and forgets it then, or gives it up
/// sooner. Thread: its worker's.
class Exchange {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// A line with its value, whole. Where `item.line.last` is set the exchange is over with it;
    /// else other lines of the same reply follow.
    virtual void on_item(Exchange& exchange, Item&& item) = 0;
    /// The last line of the reply: the exchange is over. `line` is good during the call.
    virtual void on_line(Exchange& exchange, const protocol::ReplyLine& line) = 0;
    /// No reply, or no whole one, will come: the exchange is over.
    virtual void on_failed(Exchange& exchange, Failure failure) = 0;
  };

  Owner* owner = nullptr;  // null: given up or answered already; its reply is read and dropped
  protocol::Verb verb = protocol::Verb::Get;
  protocol::ReplyShape shape = protocol::ReplyShape::Items;
  bool idempotent = true;
  bool quiet = false;     // for the owner: whether the client asked for silence
  std::uint32_t tag = 0;  // for the owner
  // A write that its client asked for before it has no reply yet: only the same lane keeps the
  // order.
  bool follows_write = false;
  net::Block head;  // the command line, and the body behind it where it is small
  std::size_t head_size = 0;
  net::Block body;  // a large body and its CRLF
  std::size_t body_size = 0;
  TimePoint started{};  // when the client's request was read: what `request` limits
  // For the owner, when it fails: who did not answer, and what that means to a client.
  std::string_view server;  // the name of the server that it went to last; or a refusal's words
  protocol::DownPolicy on_down = protocol::DownPolicy::Miss;

  std::string_view command() const { return {head.data(), head_size}; }

  /// Whoever asked for it wants to hear no more of it.
  /// May destroy it: what has not been sent need not be any more.
  void give_up();
  bool given_up() const { return owner == nullptr; }

 private:
  friend class ExchangePool;
  friend class ExchangeList;
  friend class DeadlineList;
  friend class Connection;
  friend class Server;
  friend class SharedLine;
  Exchange* next_ = nullptr;  // in the queue of its connection, or among the idle ones
  Exchange* previous_ = nullptr;
  Exchange* later_ = nullptr;  // in the list of deadlines
  Exchange* earlier_ = nullptr;
  class Connection* connection_ = nullptr;
  std::size_t lane_ = 0;
  TimePoint deadline_ = TimePoint::max();  // from `started` on; moved once if we stalled
  TimePoint sent_at_{};                    // when its last byte was taken by the kernel
  bool offered_ = false;                   // to the stream: what it shares is decided
  bool joins_previous_ = false;            // on one line: see SharedLine
  bool joins_next_ = false;
  bool touched_ = false;      // a byte of it was taken by the kernel
  bool sent_ = false;         // all of it was
  bool replied_ = false;      // its reply is complete, though it may not be sent yet
  bool reply_begun_ = false;  // the owner has had an item
  bool late_ = false;         // its wait ran out; its owner has been told
  bool expired_ = false;      // its deadline passed; its owner has been told
  bool sent_again_ = false;   // at most once
  std::size_t matched_ = 0;   // bytes of its line whose keys have had their turn
  bool granted_ = false;      // its deadline has been moved
};

/// Owns idle exchanges so that a request costs no allocation. Outlives them. Thread: its worker's.
class ExchangePool {
 public:
  ExchangePool() = default;
  ~ExchangePool();
  ExchangePool(const ExchangePool&) = delete;
  ExchangePool& operator=(const ExchangePool&) = delete;
  struct GiveBack {
    ExchangePool* pool = nullptr;
    void operator()(Exchange* exchange) const noexcept { pool->put(exchange); }
  };
  using Ptr = std::unique_ptr<Exchange, GiveBack>;
  Ptr make();
  std::size_t in_use() const { return in_use_; }

 private:
  void put(Exchange* exchange) noexcept;
  Exchange* idle_ = nullptr;
  std::size_t idle_count_ = 0;
  std::size_t in_use_ = 0;
};
using ExchangePtr = ExchangePool::Ptr;

}  // namespace mcsteady::upstream
