#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "mcsteady/net/block.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::upstream {

/// Turns what a server sends into replies, and says where its next bytes are to land. It keeps what
/// it has across waits, so that going on after one that ran out loses nothing.
///
/// Bytes land in a buffer of 16 KiB, or of 64 KiB while small replies come faster than that. A
/// value of which at least 8 KiB are still owed once that is drained, or that does not fit into it,
/// gets a block of its own: what is here of it is copied there, the rest is received in place, and
/// no read asks for more than is owed. Where large values (of up to 160 KiB) have come lately the
/// buffer is as large as the last one: it becomes the block of the next, of which then nothing is
/// copied. The buffer is held only while there is something in it, or a receive may be under way.
///
/// Knows bytes only: no socket, no clock. Thread: its connection's.
class RecoveryReader {
 public:
  static constexpr std::size_t kBufferSize = 16384;
  static constexpr std::size_t kBusyBufferSize = 65536;
  static constexpr std::size_t kLargeMin = 8192;
  /// The largest buffer that is made because large values have come lately. What one read less
  /// saves counts for little in larger ones, and for nothing where their sizes differ, since what
  /// does not fit is copied.
  static constexpr std::size_t kExpectedMax = std::size_t{160} * 1024;

  struct Event {
    enum class Kind {
      NeedMore,  // the rest has not come; some of what is not kept may have been `skipped`
      Line,      // `item.line` is a line without a value
      Item,      // a line and its value, whole
      Refused,   // a value that is not kept, because of `failure`; it will be skipped
      Skipped,   // a value that was not kept has passed; of `item.line` only `last` is set
    } kind = Kind::NeedMore;
    upstream::Item item;
    Failure failure = Failure::ValueTooLarge;
    std::size_t skipped = 0;  // bytes of a value that is not kept which went by this time
  };

  RecoveryReader(net::BlockPool& blocks, ByteCount value_max)
      : blocks_(blocks), value_max_(value_max.value) {}

  /// Where the next bytes may land; never empty.
  std::span<char> room();
  void received(std::size_t count);

  /// The next event at the front of what has been received, for a reply of `shape`. `wanted`
  /// false: nobody waits for it, large values are dropped as they come. The event's views are good
  /// until the next call of anything here.
  Result<Event, protocol::ReplyError> next(protocol::ReplyShape shape, bool wanted);

  /// Nothing received is left unread, and no value is half here.
  bool empty() const { return begin_ == end_ && !large_ && skip_ == 0; }
  bool begins_with(std::string_view text) const { return view().starts_with(text); }
  std::size_t unread() const { return end_ - begin_ + (large_ ? large_->filled : 0); }
  /// Gives the buffer back where it holds nothing. For when no receive is under way.
  void release_idle();

 private:
  struct Large {
    net::Block block;
    protocol::ReplyLine line;  // views into the block
    std::size_t size;          // line, value and CRLF
    std::size_t filled;
  };

  Result<Event, protocol::ReplyError> take_value(const protocol::ReplyLine& line, bool wanted);
  Result<Event, protocol::ReplyError> finish_large();
  bool begin_large(const protocol::ReplyLine& line, std::size_t size);
  bool is_fit_for(std::size_t size) const;
  net::Block take_buffer(std::size_t size);
  void fit_buffer();
  void expect_large(std::size_t size);
  net::Block expected_buffer();
  void begin_skip(const protocol::ReplyLine& line, std::size_t size);
  Event go_on_skipping();
  std::string_view view() const { return {buffer_.data() + begin_, end_ - begin_}; }

  net::BlockPool& blocks_;
  const std::size_t value_max_;
  net::Block buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::size_t room_size_ = 0;        // what was last offered of the buffer
  bool busy_ = false;                // and the last receive filled that, with small replies
  std::size_t expected_ = 0;         // what suits the next large value; 0: none has come lately
  int expected_for_ = 0;             // so many more buffers
  std::optional<Large> large_;
  std::size_t skip_ = 0;         // bytes of a dropped value still to come
  bool skipped_is_last_ = true;  // the reply ends with the value that is skipped
};

}  // namespace mcsteady::upstream
