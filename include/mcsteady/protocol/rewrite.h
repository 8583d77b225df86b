#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// How a command differs where it goes from what the client wrote.
struct Rewrite {
  std::string strip{};              // taken off the front of the key, where it begins with that
  std::string add{};                // then put in front of it
  std::chrono::seconds ttl_max{0};  // what is stored lives no longer; 0: as long as it is to

  bool changes_keys() const { return !strip.empty() || !add.empty(); }
  /// `key`: its bytes, not base64.
  std::string key_for(std::string_view key) const;
};

/// The command with its CRLF, for one key. `line`: without its end. `now`: seconds since 1970, as
/// an exptime beyond 30 days is that kind of time (doc/protocol.txt, "Expiration times"). Nothing
/// where the key would be empty or over 250 bytes (in base64 where the client writes it so).
std::optional<std::string> rewritten(Verb verb, std::string_view line, const Rewrite& rewrite,
                                     std::int64_t now);

/// A reply line with its end, with the key that the client wrote in `command` in place of the
/// server's. Takes no line that names no key apart.
std::string restored(Verb verb, std::string_view reply, std::string_view command);

}  // namespace mcsteady::protocol
