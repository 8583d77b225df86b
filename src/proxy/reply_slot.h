#pragma once

#include <string_view>
#include <utility>

#include "mcsteady/net/chain.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

class ClientConnection;

/// A request's place in its client's reply order, from when it is read until its reply is in the
/// client's output. The slot at the front writes straight into that output; one behind it keeps its
/// reply until its turn has come.
/// Owner: the slot pool of the worker; the client holds it in its order until it is done, or has
/// given it up. Thread: its worker's.
class ReplySlot {
 public:
  explicit ReplySlot(net::BlockPool& blocks) : waiting_(blocks) {}
  virtual ~ReplySlot() = default;
  ReplySlot(const ReplySlot&) = delete;
  ReplySlot& operator=(const ReplySlot&) = delete;

  /// The client has gone: nothing is to be written any more, and replies that were kept for their
  /// turn are let go. May come from within one of the slot's own writes, and more than once.
  virtual void give_up() = 0;
  /// The client has room for more of the reply. Only a retrieval of many keys waits for that.
  virtual void on_room() {}
  /// Back to its pool; also clears it.
  virtual void recycle() = 0;

 protected:
  void write(std::string_view bytes);
  void write(net::Block block, std::size_t size) { write(std::move(block), 0, size); }
  /// What lies at [begin, end) of the block.
  void write(net::Block block, std::size_t begin, std::size_t end);
  /// The reply is complete. The slot may be recycled before this returns.
  void finish();
  void begin(ClientConnection& client, TimePoint started) {
    client_ = &client;
    started_ = started;
    done_ = false;
  }
  void clear() {
    client_ = nullptr;
    next_ = nullptr;
    waiting_.clear();
  }

  ClientConnection* client_ = nullptr;
  TimePoint started_{};

 private:
  friend class ClientConnection;
  ReplySlot* next_ = nullptr;  // in the client's order
  net::Chain waiting_;         // what is written before it is at the front
  bool done_ = false;
};

}  // namespace mcsteady::proxy
