#pragma once

#include <array>
#include <string>
#include <string_view>

#include "fuzz/request_check.h"
#include "mcsteady/protocol/binary.h"

// What must hold for the parser of binary requests, and for the commands that servers get for them,
// whatever bytes a client sends. Aborts where it does not.
namespace mcsteady::protocol::binary::fuzz {

using protocol::fuzz::require;

/// A server reads the command as the text parser does: one request with one reply, for that key.
inline void check_command(const Request& request, const Limits& limits) {
  std::array<char, kCommandMax> bytes;
  const std::size_t size = compose_command(request, bytes.data());
  require(size <= bytes.size());
  const std::string_view command(bytes.data(), size);
  require(command.ends_with("\r\n") && command.find('\n') == size - 1);

  const protocol::Parsed read = protocol::parse_request(command, limits);
  require(read.kind == protocol::Parsed::Kind::Request && read.consumed == size);
  require(read.request.verb == command_verb(request.call.verb) && !read.request.quiet);
  require(read.request.body_size.has_value() == request.has_value);
  if (request.has_value) require(*read.request.body_size == request.value_size);
  if (request.key.empty()) return;
  const std::string_view key = read.request.keys;
  const std::string_view flags =
      command.substr(static_cast<std::size_t>(key.data() + key.size() - command.data()));
  const bool is_base64 =
      flags.find(" b ") != std::string_view::npos || flags.find(" b\r") != std::string_view::npos;
  require(is_base64 == needs_base64(request.key));
  if (!is_base64) require(key == request.key);
}

inline void check_request(const Request& request, const Limits& limits) {
  require(request.key.size() <= limits.key_max.value);
  require(request.value_size <= limits.value_max.value);
  require(request.has_value || request.value_size == 0);
  switch (request.call.verb) {
    case Verb::MetaNoop:
    case Verb::Version:
    case Verb::Stats:
    case Verb::Quit:
      return;
    default:
      return check_command(request, limits);
  }
}

/// Reads the front of `input`, and returns how many bytes to go on by; 0: nothing can follow.
inline std::size_t check_one(std::string_view input, const Limits& limits) {
  const Parsed parsed = binary::parse_request(input, limits);
  if (parsed.kind == Parsed::Kind::Incomplete) {
    require(parsed.consumed == 0);
    return 0;
  }
  require(parsed.consumed > 0 && parsed.consumed <= input.size());
  std::size_t step = parsed.consumed;
  if (parsed.kind == Parsed::Kind::Request) {
    check_request(parsed.request, limits);
    step += parsed.request.value_size;
  } else {
    if (parsed.refusal.close) return 0;
    require(parsed.refusal.status != Status::Ok);
    step += parsed.refusal.swallow;
  }
  // What is behind header, extras and key changes nothing, and without their last byte they are not
  // whole.
  const std::string_view head = input.substr(0, parsed.consumed);
  require(binary::parse_request(head, limits).kind == parsed.kind);
  require(binary::parse_request(head.substr(0, head.size() - 1), limits).kind ==
          Parsed::Kind::Incomplete);
  return step <= input.size() ? step : 0;
}

inline void check_request_bytes(std::string_view input) {
  const Limits limits{.value_max = ByteCount{1024}};
  while (const std::size_t step = check_one(input, limits)) input.remove_prefix(step);
}

}  // namespace mcsteady::protocol::binary::fuzz
