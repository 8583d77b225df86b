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
  ConnectFailed,   // no route, no such socket, a name that does not resolve, ...
  ConnectionLost,  // closed or reset with replies owed
  BadReply,        // bytes that are no reply: the connection was out of step
  ValueTooLarge,   // over limits.value
  NoMemory,        // over limits.memory
  ServerDown,      // marked down: nothing was sent
};
inline constexpr std::size_t kFailureCount = static_cast<std::size_t>(Failure::ServerDown) + 1;
/// A short name for metrics and logs ("server_late"), and a phrase for error lines.
const char* to_string(Failure failure);
const char* describe(Failure failure);

/// A value of a reply. Small ones are views into the reader's buffer, good during the call; large
/// ones were received into a block of their own, which the owner may keep.
struct Item {
  protocol::ReplyLine line;
  std::string_view small;  // value and its CRLF; empty when `large` is set
  net::Block large;        // value and its CRLF from its start
  std::size_t large_size = 0;
};

/// One command on its way to a server and its reply on the way back. The connection that holds it
/// owns it; its owner, who asked for it, is told of the end and forgets it then, or gives it up
/// sooner. Thread: its worker's.
class Exchange {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// A line with its value, whole. Other lines of the same reply may follow.
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
  net::Block head;        // the command line, and the body behind it where it is small
  std::size_t head_size = 0;
  net::Block body;  // a large body and its CRLF
  std::size_t body_size = 0;
  TimePoint started{};  // when the client's request was read: what `request` limits

  std::string_view command() const { return {head.data(), head_size}; }
  std::size_t size() const { return head_size + body_size; }

  /// Whoever asked for it wants to hear no more of it.
  void give_up() { owner = nullptr; }

 private:
  friend class ExchangePool;
  friend class ExchangeList;
  friend class Connection;
  friend class Server;
  friend class DeadlineList;
  Exchange* next_ = nullptr;
  Exchange* earlier_ = nullptr;  // in the list of deadlines
  Exchange* later_ = nullptr;
  class Connection* connection_ = nullptr;
  TimePoint deadline_ = TimePoint::max();  // `started` + the request timeout
  TimePoint sent_at_{};                    // when its last byte was taken by the kernel
  bool sent_ = false;
  bool started_sending_ = false;
  bool sent_again_ = false;  // at most once
  bool item_seen_ = false;   // a part of its reply has gone to the owner
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
