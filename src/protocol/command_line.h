#pragma once

#include <cstddef>
#include <string_view>

#include "mcsteady/protocol/request.h"
#include "protocol/words.h"

namespace mcsteady::protocol {

/// One whole line and where it is in its reading: what a verb's parser gets.
struct CommandLine {
  Verb verb = Verb::Get;
  std::string_view text;     // without its line end
  std::size_t consumed = 0;  // with it
  Words arguments;           // behind the first word
};

/// What memcached 1.6.18 says of a line it does not take (proto_text.c).
namespace refusal {
inline constexpr std::string_view kError = "ERROR\r\n";
inline constexpr std::string_view kBadFormat = "CLIENT_ERROR bad command line format\r\n";
inline constexpr std::string_view kBadExptime = "CLIENT_ERROR invalid exptime argument\r\n";
inline constexpr std::string_view kBadDelta = "CLIENT_ERROR invalid numeric delta argument\r\n";
inline constexpr std::string_view kDeleteUsage =
    "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]\r\n";
inline constexpr std::string_view kNoItems = "END\r\n";  // to a gat without a key
inline constexpr std::string_view kTooLarge = "SERVER_ERROR object too large for cache\r\n";
inline constexpr std::string_view kDuplicateFlag = "CLIENT_ERROR duplicate flag\r\n";
inline constexpr std::string_view kBadFlag = "CLIENT_ERROR invalid or duplicate flag\r\n";
inline constexpr std::string_view kManyFlags = "CLIENT_ERROR options flags are too long\r\n";
inline constexpr std::string_view kOpaqueTooLong = "CLIENT_ERROR opaque token too long\r\n";
// Ours: memcached hangs up without a word, or obeys.
inline constexpr std::string_view kTooManyKeys = "CLIENT_ERROR too many keys\r\n";
inline constexpr std::string_view kLineTooLong = "CLIENT_ERROR line too long\r\n";
inline constexpr std::string_view kNotProxied = "CLIENT_ERROR command not supported by proxy\r\n";
}  // namespace refusal

inline Parsed refuse_bytes(std::size_t consumed, const Refusal& refusal) {
  Parsed parsed;
  parsed.kind = Parsed::Kind::Refusal;
  parsed.consumed = consumed;
  parsed.refusal = refusal;
  return parsed;
}
inline Parsed refuse(const CommandLine& line, const Refusal& refusal) {
  return refuse_bytes(line.consumed, refusal);
}
inline Parsed refuse(const CommandLine& line, std::string_view reply) {
  return refuse(line, Refusal{.reply = reply});
}

/// The line as a request, verb and text filled in. One object from here to the caller.
inline Parsed accept(const CommandLine& line) {
  Parsed parsed;
  parsed.kind = Parsed::Kind::Request;
  parsed.consumed = line.consumed;
  parsed.request.verb = line.verb;
  parsed.request.line = line.text;
  return parsed;
}

/// Of a value that is over our limit.
inline Parsed refuse_value(const CommandLine& line, std::string_view key, const Refusal& refusal) {
  Parsed parsed = accept(line);
  parsed.kind = Parsed::Kind::Refusal;
  parsed.request.keys = key;
  parsed.refusal = refusal;
  parsed.refusal.forgets = forgets_when_refused(line.verb);
  return parsed;
}

inline bool is_noreply(std::string_view word) {
  return word == "noreply";
}

}  // namespace mcsteady::protocol
