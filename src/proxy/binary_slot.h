#pragma once

#include <array>
#include <optional>

#include "mcsteady/protocol/binary.h"
#include "proxy/exchange_factory.h"
#include "proxy/reply_slot.h"

namespace mcsteady::proxy {

/// The place of a binary request that one server answers: asked in a meta command, and its reply
/// translated back. A large value leaves from the block in which it came.
class BinarySlot final : public ReplySlot, private upstream::Exchange::Owner {
 public:
  explicit BinarySlot(WorkerContext& context) : ReplySlot(context.blocks), context_(context) {}

  /// `body`: the value where it is small, as it came; a large one with its CRLF.
  void start(ClientConnection& client, TimePoint now, const protocol::binary::Request& request,
             Body&& body);
  /// Takes away the item of a request that is refused, and then answers with `status`.
  void forget(ClientConnection& client, TimePoint now, const protocol::binary::Request& request,
              protocol::binary::Status status);

  void give_up() override;
  void recycle() override;

 private:
  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;

  void submit(const protocol::binary::Request& request, Body&& body);
  upstream::ExchangePtr make_command(const protocol::binary::Request& request, Body&& body);
  std::string_view key() const { return {key_.data(), key_size_}; }
  void count(const upstream::Exchange& exchange, protocol::ReplyCode code);
  void count_key(bool hit);
  void write_unavailable(protocol::DownPolicy on_down, std::string_view why);
  void write_whole(const protocol::binary::Reply& reply);
  void end();

  WorkerContext& context_;
  protocol::binary::Call call_;
  std::optional<protocol::binary::Status> refusal_;  // the answer, whatever the server says
  std::array<char, 256> key_{};                      // for the replies that repeat it
  std::size_t key_size_ = 0;
  upstream::Exchange* exchange_ = nullptr;  // while it is under way
  std::size_t request_memory_ = 0;          // held by the exchange, on the client's account
};

}  // namespace mcsteady::proxy
