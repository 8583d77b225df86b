#pragma once

#include <optional>
#include <string_view>

#include "mcsteady/upstream/exchange.h"

namespace mcsteady::upstream {

/// Gets that are sent in one go share a line: `get a`, `get b` and `get c` leave as `get a b c`.
/// The server answers that with one send where it would have taken three (memcached up to 1.6.18
/// does one for each classic get), and each exchange has its reply cut out of the common one: what
/// was found of its keys, and an END of its own.
///
/// No byte is copied for it: of each command but the first its word is left out, and of each but
/// the last its line end. Members stand side by side in the queue of one connection, and stay in
/// order.
class SharedLine {
 public:
  /// Decides what `first` and those behind it share. Once only: what has been offered to a stream
  /// stays as it is.
  static void offer(Exchange& first);
  /// What goes out of an exchange's command.
  static std::string_view wire_head(const Exchange& exchange);
  static std::size_t wire_size(const Exchange& exchange) {
    return wire_head(exchange).size() + exchange.body_size;
  }
  /// Whether the exchange need not be sent: not where it ends a line that others have begun.
  static bool may_leave(const Exchange& exchange);
  /// Before it is taken out of the queue: those that stay share the line without it.
  static void leave(Exchange& exchange);

  static bool goes_on(const Exchange& exchange) { return exchange.joins_next_; }
  /// Whether anyone who shares the line still wants a reply.
  static bool is_wanted(const Exchange& head);
  /// The member that asked for `key`, from `head` on; null: nobody did. Items come in the order of
  /// the keys on the line, so those before it have had all that they will get.
  static Exchange* who_asked(Exchange& head, std::string_view key);
};

}  // namespace mcsteady::upstream
