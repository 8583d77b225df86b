#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proxy/exchange_factory.h"
#include "proxy/reply_slot.h"

namespace mcsteady::proxy {

/// The place of a classic retrieval of many keys: split by server, merged in the order asked.
///
/// Keys are asked for in portions that fit what the client may still hold, so that a client that
/// reads slowly bounds its own memory. Of a portion each server is asked once (in lines that
/// memcached reads safely). A value whose turn it is goes straight to the client, one that comes
/// before its turn waits here.
class RetrievalSlot final : public ReplySlot, private upstream::Exchange::Owner {
 public:
  explicit RetrievalSlot(WorkerContext& context) : ReplySlot(context.blocks), context_(context) {}

  /// Whether the request takes a slot like this: it has many keys, or a line so long (with blanks)
  /// that it cannot go up as it is.
  static bool is_for(const protocol::Request& request);
  void start(ClientConnection& client, TimePoint now, const protocol::Request& request);
  /// All keys have been asked for: requests behind this one can be read without overtaking it.
  bool all_issued() const { return rest_.empty(); }

  void give_up() override;
  void on_room() override { go_on(); }
  void recycle() override;

 private:
  struct Answer {  // to one key of the portion
    enum class State : std::uint8_t { Waiting, Miss, Hit } state = State::Waiting;
    std::uint32_t next_in_part = 0;  // the part's next key; kNone behind the last
    std::string_view key;            // in line_
    net::Block block;                // of a Hit that came before its turn
    std::size_t size = 0;
  };
  struct Part {                            // what is asked in one line, of one server mostly
    std::optional<Router::Target> target;  // unset: as the route says for its one key
    std::uint32_t first = 0, last = 0;     // answers
    std::uint32_t cursor = 0;              // the answer that its next item can be for
    std::size_t line_size = 0;
    upstream::Exchange* exchange = nullptr;
  };
  static constexpr std::uint32_t kNone = ~0u;

  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;

  void go_on();
  void pass_on();
  void count(metrics::Counter& got, metrics::Counter& touched) const;
  void issue();
  void divide(std::size_t keys_max);
  void submit(std::uint32_t part_index);
  Answer* match(Part& part, std::string_view key);
  void keep(Answer& answer, upstream::Item&& item);
  void end_part(upstream::Exchange& exchange);
  void end();
  std::size_t prefix_size() const;

  WorkerContext& context_;
  protocol::Verb verb_ = protocol::Verb::Get;
  net::Block line_;  // the request's line, which every view here is into
  std::string_view exptime_;
  std::string_view rest_;  // keys not yet asked for
  std::vector<Answer> answers_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> open_part_;  // by Target::number, while dividing
  std::size_t next_out_ = 0;              // the first answer that is not with the client yet
  std::size_t open_parts_ = 0;
  bool issuing_ = false;
  std::optional<TimePoint> blocked_at_;  // since when the client's slowness keeps it from going on
  std::string error_;                    // ends the reply in place of END
};

}  // namespace mcsteady::proxy
