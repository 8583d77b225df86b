#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"

// The binary protocol, which clients may speak: servers are asked in meta commands, so that they
// need not know it. Source: memcached doc/protocol-binary.txt, and proto_bin.c (1.6.18) where the
// page is silent or is not what memcached does.
namespace mcsteady::protocol::binary {

inline constexpr char kRequestMagic = '\x80';
inline constexpr std::size_t kHeaderSize = 24;

enum class Opcode : std::uint8_t {
  Get = 0x00,
  Set = 0x01,
  Add = 0x02,
  Replace = 0x03,
  Delete = 0x04,
  Increment = 0x05,
  Decrement = 0x06,
  Quit = 0x07,
  Flush = 0x08,
  GetQ = 0x09,
  Noop = 0x0a,
  Version = 0x0b,
  GetK = 0x0c,
  GetKQ = 0x0d,
  Append = 0x0e,
  Prepend = 0x0f,
  Stat = 0x10,
  SetQ = 0x11,
  AddQ = 0x12,
  ReplaceQ = 0x13,
  DeleteQ = 0x14,
  IncrementQ = 0x15,
  DecrementQ = 0x16,
  QuitQ = 0x17,
  FlushQ = 0x18,
  AppendQ = 0x19,
  PrependQ = 0x1a,
  Touch = 0x1c,
  Gat = 0x1d,
  GatQ = 0x1e,
  SaslList = 0x20,
  SaslAuth = 0x21,
  SaslStep = 0x22,
  GatK = 0x23,
  GatKQ = 0x24,
};

enum class Status : std::uint16_t {
  Ok = 0x00,
  KeyNotFound = 0x01,
  KeyExists = 0x02,
  TooLarge = 0x03,
  InvalidArguments = 0x04,
  NotStored = 0x05,
  NonNumeric = 0x06,
  AuthError = 0x20,
  AuthContinue = 0x21,
  UnknownCommand = 0x81,
  OutOfMemory = 0x82,
  InternalError = 0x84,
  TemporaryFailure = 0x86,
};
/// The text that memcached sends with the status; empty for Ok.
std::string_view to_string(Status status);

/// What a reply must know of its request once that has gone: what it repeats, and what it is to
/// hold.
struct Call {
  Verb verb = Verb::Get;     // what it comes to in text; Get and Gat also for their quiet forms
  std::uint8_t opcode = 0;   // as it came
  std::uint32_t opaque = 0;  // as it came: its bytes are repeated, whatever their order
  bool quiet = false;        // misses of gets and successes of the rest are not told
  bool returns_key = false;  // getk, gatk and their quiet forms
};

/// One request as it came, in views into the caller's input, good for as long as that is.
struct Request {
  Call call;
  std::string_view key;        // any bytes, 1 to limits.key_max; empty where there is none
  std::uint64_t cas = 0;       // 0: none
  std::uint32_t flags = 0;     // of set, add, replace
  std::uint32_t exptime = 0;   // of those, touch, gat, incr, decr and flush
  std::uint64_t delta = 0;     // of incr, decr
  std::uint64_t initial = 0;   // what they store where there is nothing, unless `exptime` is
                               // kDoNotCreate
  std::size_t value_size = 0;  // bytes behind what was consumed: the value
  bool has_value = false;      // it stores a value, which may have 0 bytes
};
inline constexpr std::uint32_t kDoNotCreate = 0xffffffff;

/// A request that is not passed on: what memcached would say of it, and how to find the next one.
struct Refusal {
  Status status = Status::Ok;  // Ok: nothing is said
  std::size_t swallow = 0;     // bytes of body to drop
  bool close = false;          // memcached hangs up behind the answer
  bool forgets = false;        // what the request was to replace is not to be had any more either
};

/// What stands at the front of some input.
struct Parsed {
  enum class Kind { Incomplete, Request, Refusal } kind = Kind::Incomplete;
  std::size_t consumed = 0;  // bytes of header, extras and key; 0 when Incomplete
  Request request;           // of a refusal: `call` alone, and where it forgets the key
  Refusal refusal;
};

/// Reads one request from the front of `input`, its value not included. Incomplete: call again with
/// the same bytes and more behind them. O(key), allocates nothing.
///
/// Where memcached 1.6 would take bytes of one request for another we do not: the body of an
/// unknown command is dropped exactly, and a value behind a touch, a gat or a stat is refused.
Parsed parse_request(std::string_view input, const Limits& limits);

/// What the header at the front of `input`, which is whole, says of its key's length.
std::size_t key_size_of(std::string_view input);

/// Whether the key can stand in a text command only in base64: it holds a blank or a control byte.
bool needs_base64(std::string_view key);

/// No command that compose_command() writes is longer.
inline constexpr std::size_t kCommandMax = 384;

/// Writes the meta command (of a flush, the classic one) that asks a server for the same, with its
/// CRLF; the value and another CRLF follow it where the request has a value. `out` has room for
/// kCommandMax. Returns the bytes written. The request needs a server: it is no noop, version, stat
/// or quit.
std::size_t compose_command(const Request& request, char* out);
/// Of those commands the verb.
Verb command_verb(Verb verb);
/// Whether the command may be sent twice: see protocol::is_idempotent.
bool is_idempotent(const Request& request);

/// Header, extras and key of a reply, or the whole of one that ends with a number.
class ReplyHead {
 public:
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  friend class HeadWriter;
  static constexpr std::size_t kExtrasMax = 4, kKeyMax = 256;
  std::array<char, kHeaderSize + kExtrasMax + kKeyMax> bytes_;
  std::size_t size_ = 0;
};

/// One reply: `head`, and what follows it.
struct Reply {
  ReplyHead head;
  std::string_view rest;  // the value, or an error's text
  bool withheld = false;  // the client is told nothing
};

/// Success without anything in it: noop, quit, flush.
Reply empty_reply(const Call& call);
/// `text` in place of the usual one, where it is not empty.
Reply error_reply(const Call& call, Status status, std::string_view text = {});
/// Success with a text for its value: version.
Reply text_reply(const Call& call, std::string_view text);
/// What a server's error line (without its line end) comes to: the status that memcached would send
/// for it, else InternalError with the line's text.
Reply server_error_reply(const Call& call, std::string_view line);
/// What a server's reply to compose_command() says to the client. `value`: of a line that has one,
/// without its CRLF; `rest` is a view of it, or of the line. `key`: the request's.
Reply translate(const Call& call, std::string_view key, const ReplyLine& line,
                std::string_view value);
/// What the client gets in place of a server's reply. Miss: a get and a gat miss, everything else
/// TemporaryFailure with `why` as its text. Error: that for a get and a gat too, but never for a
/// quiet one, which is silent in both: an error among its batch would end that for some clients.
Reply unavailable_reply(const Call& call, std::string_view key, DownPolicy policy,
                        std::string_view why);
/// Appends the replies for `text`, which is what `stats` answers in text.
void compose_stats(const Call& call, std::string_view text, std::string& out);

}  // namespace mcsteady::protocol::binary
