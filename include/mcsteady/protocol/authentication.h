#pragma once

#include <cstddef>
#include <string_view>

namespace mcsteady::protocol {

/// What stands at the front of a client's input before it has said who it is. The one command that
/// is understood is `set <key> <flags> <exptime> <length>` with the body "user password"; key,
/// flags and exptime are not looked at. Source: memcached 1.6.18's proto_text.c,
/// try_read_command_asciiauth, and what a `memcached -Y` was seen to answer.
struct Introduction {
  enum class Kind {
    Incomplete,  // call again with the same bytes and more behind them
    Attempt,     // `user` and `password` are set
    Refusal,     // `reply` is set
    HangUp,      // no way to go on, and nothing to say
  } kind = Kind::Incomplete;
  std::size_t consumed = 0;             // bytes
  std::string_view user{}, password{};  // views into the input
  std::string_view reply{};             // static, with its line end
};

/// The body of an attempt and its line end: what memcached has room for. A longer one ends the
/// connection.
inline constexpr std::size_t kIntroductionBodyMax = 16384;  // bytes
/// Without a line end among so many bytes the connection ends.
inline constexpr std::size_t kIntroductionLineMax = 2048;  // bytes

Introduction parse_introduction(std::string_view input);

inline constexpr std::string_view kAuthenticated = "STORED\r\n";
inline constexpr std::string_view kAuthenticationFailed = "CLIENT_ERROR authentication failure\r\n";

}  // namespace mcsteady::protocol
