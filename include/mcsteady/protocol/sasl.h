#pragma once

#include <cstddef>
#include <string_view>

#include "mcsteady/protocol/binary.h"

namespace mcsteady::protocol::binary {

/// What stands at the front of a binary client's input where it has to say who it is: SASL, of
/// which PLAIN (RFC 4616) is the one mechanism. Source: memcached doc/sasl.txt, and what a
/// `memcached -S` was seen to answer.
struct SaslRequest {
  enum class Kind {
    Incomplete,  // call again with the same bytes and more behind them
    List,        // which mechanisms are there: kMechanisms
    Begin,       // PLAIN, with the response to come in a step: Status::AuthContinue
    Attempt,     // `user` and `password` are set
    Refusal,     // see `refusal`
    Other,       // no command of SASL; nothing is consumed
  } kind = Kind::Incomplete;
  std::size_t consumed = 0;  // bytes; of a refusal header, extras and key
  Call call{};
  bool is_step = false;                 // of an attempt: it goes on from Begin
  std::string_view user{}, password{};  // views into the input; any bytes but NUL, never empty
  Refusal refusal{};
};

inline constexpr std::string_view kMechanisms = "PLAIN";
inline constexpr std::string_view kAuthenticated = "Authenticated";
/// A longer response is refused and dropped. Ours; memcached takes an item's size.
inline constexpr std::size_t kSaslResponseMax = 16384;  // bytes

SaslRequest parse_sasl(std::string_view input);

}  // namespace mcsteady::protocol::binary
