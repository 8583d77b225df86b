#pragma once

#include <optional>
#include <string_view>

#include "proxy/exchange_factory.h"
#include "proxy/reply_slot.h"

namespace mcsteady::proxy {

/// The place of a request that one server answers, or that we answer ourselves.
class SingleSlot final : public ReplySlot, private upstream::Exchange::Owner {
 public:
  explicit SingleSlot(WorkerContext& context) : ReplySlot(context.blocks), context_(context) {}

  void start(ClientConnection& client, TimePoint now, const protocol::Request& request,
             Body&& body);
  /// Takes away the item of a request that is refused, and then answers with `refusal`, which is
  /// static.
  void forget(ClientConnection& client, TimePoint now, const protocol::Request& storage,
              std::string_view refusal);
  /// A reply of ours, whose turn comes after those before it.
  void answer(ClientConnection& client, TimePoint now, std::string_view text);

  void give_up() override;
  void recycle() override;

 private:
  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;
  void submit(ClientConnection& client, TimePoint now, const protocol::Request& request,
              Body&& body);
  void reply(std::string_view server_says) { write(refusal_.value_or(server_says)); }
  void end();

  WorkerContext& context_;
  std::optional<std::string_view> refusal_;  // the answer, whatever the server says
  upstream::Exchange* exchange_ = nullptr;   // while it is under way
  std::size_t request_memory_ = 0;           // held by the exchange, on the client's account
  bool hit_ = false;
};

}  // namespace mcsteady::proxy
