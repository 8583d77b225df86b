#pragma once

#include <optional>
#include <string_view>

#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// The verb that a command's first word names. Names are case-sensitive.
std::optional<Verb> verb_named(std::string_view word);

/// A command that memcached knows and a proxy does not pass on: it would act on one server of
/// many, or its reply has no end.
bool is_administrative(std::string_view word);

/// Whether the last word may be `noreply`: classic commands that change something.
constexpr bool takes_noreply(Verb verb) {
  return (verb >= Verb::Set && verb <= Verb::Touch) || verb == Verb::Verbosity ||
         verb == Verb::FlushAll;
}
/// Whether flag q is read at all: not by `me` and `mn`, which answer always.
constexpr bool takes_quiet_flag(Verb verb) {
  return verb >= Verb::MetaGet && verb <= Verb::MetaArithmetic;
}

}  // namespace mcsteady::protocol
