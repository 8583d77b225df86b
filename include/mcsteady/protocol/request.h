#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/result.h"

namespace mcsteady::protocol {

enum class Verb : std::uint8_t {
  Get,
  Gets,
  Gat,
  Gats,  // classic retrieval
  Set,
  Add,
  Replace,
  Append,
  Prepend,
  Cas,  // classic storage
  Incr,
  Decr,
  Delete,
  Touch,  // classic, one line
  MetaGet,
  MetaSet,
  MetaDelete,
  MetaArithmetic,
  MetaDebug,
  MetaNoop,
  Version,
  Verbosity,
  FlushAll,
  Stats,
  Quit,
};
inline constexpr std::size_t kVerbCount = static_cast<std::size_t>(Verb::Quit) + 1;

constexpr bool is_classic_retrieval(Verb verb) {
  return verb <= Verb::Gats;
}
constexpr bool is_classic_storage(Verb verb) {
  return verb >= Verb::Set && verb <= Verb::Cas;
}
constexpr bool is_meta(Verb verb) {
  return verb >= Verb::MetaGet && verb <= Verb::MetaNoop;
}
/// As on the wire and in metrics: "get", "mg", "flush_all".
std::string_view to_string(Verb verb);

struct Limits {
  ByteCount key_max{250};        // doc/protocol.txt, "Keys"
  ByteCount value_max = MiB(8);  // ours; a server refuses above its own item size
  ByteCount line_max = KiB(2);   // one line, as memcached, which takes no more; a classic get with
                                 // many keys may be longer
  ByteCount get_line_max = MiB(1);     // a classic get, gets, gat or gats line
  std::size_t get_keys_max = 100'000;  // of such a line; ours, memcached has no such limit
};

/// One request as it came, in views into the caller's input, good for as long as that is.
struct Request {
  Verb verb = Verb::Get;
  std::string_view line;      // without its line end
  std::string_view keys;      // from the first key to the end of the last one; words, for a
                              // classic retrieval with one or more keys; else one key; or empty
  bool several_keys = false;  // classic retrieval only: `keys` holds a blank
  std::string_view exptime;   // gat, gats: the word; else empty
  std::optional<std::size_t> body_size;  // bytes of value that follow the line, its CRLF apart
  bool quiet = false;                    // `noreply`, or meta flag q: see is_withheld()
};

/// A line that is not passed on. What memcached would say of it, and how to find the next request.
struct Refusal {
  std::string_view reply;   // the line with its line end; empty: nothing is said. Static.
  std::size_t swallow = 0;  // bytes of body to drop behind the line
  bool close = false;       // no telling where the next request starts, or memcached hangs up
  bool forgets = false;     // what the request was to replace is not to be had any more either
};

/// What stands at the front of some input.
struct Parsed {
  enum class Kind { Incomplete, Request, Refusal } kind = Kind::Incomplete;
  std::size_t consumed = 0;  // bytes of the line and its end; 0 when Incomplete
  Request request;           // of a refusal that forgets: with verb, line and key
  Refusal refusal;
};

/// Reads one classic or meta line from the front of `input`, body not included. Incomplete: call
/// again with the same bytes and more behind them. A request that comes out is one that memcached
/// answers with exactly one reply (or with nothing but a withheld one): keys, counts and numbers
/// have been checked, so it cannot shift the replies of its neighbours. O(line), allocates nothing.
Parsed parse_request(std::string_view input, const Limits& limits);

/// Walks the keys of a Request (or of any run of words divided by blanks).
class KeyWalker {
 public:
  explicit KeyWalker(std::string_view keys) : rest_(keys) {}
  /// The next key, or an empty view behind the last.
  std::string_view next();
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// Writes the command that goes to a server for `request`: the line without `noreply` and without
/// the meta flag q (a server connection always gets a reply), and CRLF. `out` has room for
/// request.line.size() + 2. Returns the bytes written.
std::size_t compose_command(const Request& request, char* out);

/// Whether a refused request takes the old item away, so that it does not outlive what was to
/// replace it: any ms, and of the classic ones set alone (proto_text.c, "Avoid stale data
/// persisting").
constexpr bool forgets_when_refused(Verb verb) {
  return verb == Verb::Set || verb == Verb::MetaSet;
}
/// The request that takes away the item of `storage`, in its dialect. Its line is in `room`.
inline constexpr std::size_t kDeletionMax = 260;
Request deletion_of(const Request& storage, std::span<char, kDeletionMax> room);

/// The bytes of a request's key: those that it stands for where it is written in base64 (meta flag
/// b), else as it is. `line`: the command's, without its end. The result is in `key` or in `room`.
inline constexpr std::size_t kRawKeyMax = 256;
std::string_view raw_key(Verb verb, std::string_view line, std::string_view key,
                         std::span<char, kRawKeyMax> room);

/// Whether sending the command twice leaves the cache as sending it once does, so that it may be
/// sent again when a connection was found closed: reads without side effects, set, touch, delete
/// are; incr, append, add, cas are not.
bool is_idempotent(const Request& request);

}  // namespace mcsteady::protocol
