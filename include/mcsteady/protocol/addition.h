#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// A command that stores a value which another server had, if the key is not there.
struct Addition {
  Verb verb = Verb::Add;
  std::string line;  // with its CRLF; the value and its CRLF belong behind it
};

/// From a retrieval of `key` (`command` as compose_command() writes it) and the line of its hit, in
/// the same dialect. None where the hit does not tell all that is to be stored: an mg that did not
/// ask for the client flags (f), or whose item is stale (X) or being renewed by another client (Z).
std::optional<Addition> addition_of(Verb verb, std::string_view command, std::string_view key,
                                    const ReplyLine& hit, std::chrono::seconds ttl);

}  // namespace mcsteady::protocol
