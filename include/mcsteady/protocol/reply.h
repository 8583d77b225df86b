#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/result.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// What a server owes for a command: how its reply is cut from the bytes.
enum class ReplyShape : std::uint8_t {
  Items,  // classic retrieval: VALUE lines with bodies, then END (or an error line alone)
  Line,   // one line
  Meta,   // one line; VA has a body
};
ReplyShape reply_shape(Verb verb);

/// The first word of a reply line, as far as anyone here switches on it.
enum class ReplyCode : std::uint8_t {
  Value,
  End,
  Stored,
  NotStored,
  Exists,
  NotFound,
  Deleted,
  Touched,
  Ok,
  Version,
  Number,
  MetaValue,
  MetaHeader,
  MetaMiss /* EN */,
  MetaNotFound /* NF */,
  MetaNotStored /* NS */,
  MetaExists /* EX */,
  MetaDebug /* ME */,
  MetaNoop /* MN */,
  Error,
  ClientError,
  ServerError,
  Other,
};
constexpr bool is_error(ReplyCode code) {
  return code >= ReplyCode::Error && code <= ReplyCode::ServerError;
}

/// One line of a reply.
struct ReplyLine {
  ReplyCode code = ReplyCode::Other;
  std::string_view line;                  // with its line end
  std::string_view key;                   // of a VALUE line
  std::optional<std::size_t> value_size;  // bytes of value that follow, its CRLF apart
  bool last = true;                       // this line (and its body) ends the reply
};

enum class ReplyError : std::uint8_t { LineTooLong, Unexpected, BadNumber };
const char* to_string(ReplyError error);

/// The longest reply line taken, its line end included. A key of 250 bytes, all meta flags with
/// their tokens and a 32-byte opaque stay under it; so do memcached's error texts.
inline constexpr std::size_t kReplyLineMax = 2048;

/// Reads one reply line from the front of `input`. An empty optional: the line has not ended. An
/// error means that the connection is out of step and can only be closed. Views are good for as
/// long as `input` is. O(line), allocates nothing.
Result<std::optional<ReplyLine>, ReplyError> parse_reply_line(std::string_view input,
                                                              ReplyShape shape);

/// Whether the client is told nothing of this reply, because its request said `noreply` or q.
/// Source: doc/protocol.txt, "noreply" and the q flag of each meta command; proto_text.c where the
/// page is silent (which errors are sent all the same).
bool is_withheld(Verb verb, bool quiet, ReplyCode code);

/// What a client is told when no server can answer: `Miss` keeps clients going, `Error` says so.
enum class DownPolicy : std::uint8_t { Miss, Error };

/// Writes what the client gets in place of a server's reply to `command` (a line as
/// compose_command() writes it), or nothing where the reply is withheld. Miss: retrieval END or EN,
/// ms NS, md and ma NF (with the O and k flags echoed in the order asked), the rest
/// `SERVER_ERROR <why>`. Error: always `SERVER_ERROR <why>`, but never for a quiet request, whose
/// batch an error line would cut short: such a one gets what Miss would give, which for a quiet
/// get is silence.
void compose_unavailable(Verb verb, bool quiet, std::string_view command, DownPolicy policy,
                         std::string_view why, std::string& out);

/// Writes what a server that is empty, and stores nothing, replies to `command`: a miss,
/// NOT_STORED, NOT_FOUND, or their meta forms. What the protocol withholds is written, too.
void compose_nothing(Verb verb, std::string_view command, std::string& out);

}  // namespace mcsteady::protocol
