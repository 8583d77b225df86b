#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcsteady/protocol/binary.h"
#include "proxy/exchange_factory.h"
#include "proxy/reply_slot.h"

namespace mcsteady::proxy {

/// The place of a request that goes to every server that the route can reach. The reply to
/// flush_all is the servers' where they agree, else that of the first that failed; to version, the
/// lowest of those that answer, and only where none does that of the first that failed.
class FanOutSlot final : public ReplySlot, private upstream::Exchange::Owner {
 public:
  explicit FanOutSlot(WorkerContext& context) : ReplySlot(context.blocks), context_(context) {}

  /// `binary`: the request that this is in the binary protocol, and in which it is answered.
  void start(ClientConnection& client, TimePoint now, const protocol::Request& request,
             const std::optional<protocol::binary::Call>& binary = std::nullopt);
  void give_up() override;
  void recycle() override;

 private:
  void on_item(upstream::Exchange&, upstream::Item&&) override {}
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;
  void take_version(std::string_view line);
  void answer_for_nobody(const protocol::Request& request, std::string_view refusal);
  void end_part(upstream::Exchange& exchange);
  void end();
  protocol::binary::Reply binary_reply() const;

  WorkerContext& context_;
  std::vector<upstream::Exchange*> parts_;  // each to one server; null when over
  std::size_t open_parts_ = 0;
  std::string reply_;  // of the servers, in text
  std::optional<protocol::binary::Call> binary_;
  bool has_version_ = false;  // reply_ is one; what fails matters no more
  bool failed_ = false;       // reply_ is an error
  bool unreached_ = false;    // and one of ours, for a server that gave no reply
};

}  // namespace mcsteady::proxy
