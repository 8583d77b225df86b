#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/request_check.h"
#include "mcsteady/protocol/binary.h"

// What must hold for the replies of the binary front, whatever a server says. Aborts where it does
// not. The first bytes of the input say for which request, the rest is what the server sends.
namespace mcsteady::protocol::binary::fuzz {

using protocol::fuzz::require;

inline constexpr std::array kTranslatedVerbs{
    Verb::Get,    Verb::Gat,     Verb::Touch,  Verb::Set,  Verb::Add, Verb::Replace,
    Verb::Append, Verb::Prepend, Verb::Delete, Verb::Incr, Verb::Decr};

inline std::size_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::size_t number = 0;
  for (const char byte : bytes.substr(at, size)) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

/// The header tells what follows it, and repeats what it is to repeat. Returns the reply's size.
inline std::size_t check_reply(const Call& call, std::string_view bytes) {
  require(bytes.size() >= kHeaderSize && bytes[0] == '\x81');
  require(number_at(bytes, 1, 1) == call.opcode && number_at(bytes, 12, 4) == call.opaque);
  const std::size_t key_size = number_at(bytes, 2, 2);
  const std::size_t extras_size = number_at(bytes, 4, 1);
  const std::size_t body_size = number_at(bytes, 8, 4);
  require(key_size + extras_size <= body_size && kHeaderSize + body_size <= bytes.size());
  return kHeaderSize + body_size;
}

inline void check_reply(const Call& call, const Reply& reply) {
  if (reply.withheld) {
    require(call.quiet);
    return;
  }
  const std::string bytes = std::string(reply.head.view()).append(reply.rest);
  require(check_reply(call, bytes) == bytes.size());
}

inline void check_translation(const Call& call, std::string_view key, std::string_view sent) {
  const auto line = parse_reply_line(sent, ReplyShape::Meta);
  if (!line || !line->has_value()) return;
  std::string_view value;
  if ((*line)->value_size) {
    value = sent.substr((*line)->line.size());
    if (value.size() < *(*line)->value_size) return;
    value = value.substr(0, *(*line)->value_size);
  }
  check_reply(call, translate(call, key, **line, value));
}

inline void check_translator_bytes(std::string_view input) {
  if (input.size() < 4) return;
  const auto choice = [&](std::size_t at) { return static_cast<unsigned char>(input[at]); };
  const Call call{.verb = kTranslatedVerbs[choice(0) % kTranslatedVerbs.size()],
                  .opcode = choice(1),
                  .opaque = choice(2) * 0x01020304U,
                  .quiet = (choice(3) & 1U) != 0,
                  .returns_key = (choice(3) & 2U) != 0};
  const std::string key(choice(3) % 251U, 'k');
  const std::string_view sent = input.substr(4);
  check_translation(call, key, sent);
  check_reply(call, server_error_reply(call, sent.substr(0, sent.find('\r'))));
  for (const DownPolicy policy : {DownPolicy::Miss, DownPolicy::Error}) {
    check_reply(call, unavailable_reply(call, key, policy, sent.substr(0, 100)));
  }
  std::string stats;
  compose_stats(call, sent, stats);
  for (std::string_view rest = stats; !rest.empty();) {
    rest.remove_prefix(check_reply(call, rest));
  }
}

}  // namespace mcsteady::protocol::binary::fuzz
