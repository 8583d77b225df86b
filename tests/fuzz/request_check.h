#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"
#include "mcsteady/protocol/rewrite.h"

// What must hold for the request parser whatever bytes a client sends. Aborts where it does not,
// so that a fuzzer and a plain test can both run it.
namespace mcsteady::protocol::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check_keys(const Request& request, const Limits& limits) {
  KeyWalker keys(request.keys);
  std::size_t count = 0;
  for (std::string_view key = keys.next(); !key.empty(); key = keys.next()) {
    ++count;
    require(key.size() <= limits.key_max.value);
    for (const char c : key) require(static_cast<unsigned char>(c) > 0x20 && c != 0x7f);
  }
  require(request.several_keys == (count > 1));
  require(!request.several_keys || is_classic_retrieval(request.verb));
  if (count == 1) require(KeyWalker(request.keys).next() == request.keys);
}

/// The command for a server is one line, no longer than what came, and reads as the same request,
/// no more quiet, again and again.
inline void check_command(const Request& request, const Limits& limits) {
  std::string command(request.line.size() + 2, '\0');
  const std::size_t size = compose_command(request, command.data());
  require(size <= command.size());
  command.resize(size);
  require(command.find('\n') == size - 1);

  const Parsed again = parse_request(command, limits);
  require(again.kind == Parsed::Kind::Request && again.consumed == size);
  require(again.request.verb == request.verb && again.request.keys == request.keys);
  require(again.request.body_size == request.body_size);
  require(again.request.exptime == request.exptime && !again.request.quiet);
  require(is_idempotent(again.request) == is_idempotent(request));
  std::string twice(command.size() + 2, '\0');
  twice.resize(compose_command(again.request, twice.data()));
  require(twice == command);

  for (const DownPolicy policy : {DownPolicy::Miss, DownPolicy::Error}) {
    std::string reply;
    compose_unavailable(request.verb, request.quiet, command, policy, "no server", reply);
    require(reply.empty() ? request.quiet : reply.find('\n') == reply.size() - 1);
    const auto read = parse_reply_line(reply, reply_shape(request.verb));
    require(reply.empty() || (read.has_value() && read->has_value() && (*read)->last));
  }
}

/// With another key and another life it is the same request in one line, and rewriting that once
/// more shortens nothing further.
inline void check_rewrite(const Request& request, const Limits& limits) {
  if (request.keys.empty() || request.several_keys) return;
  std::string command(request.line.size() + 2, '\0');
  command.resize(compose_command(request, command.data()));
  const std::string_view line = std::string_view(command).substr(0, command.size() - 2);
  constexpr std::int64_t kNow = 1'800'000'000;
  const Rewrite both{.strip = "k", .add = "new:", .ttl_max = std::chrono::seconds(60)};
  const auto text = rewritten(request.verb, line, both, kNow);
  if (!text) return;  // the key cannot be
  require(text->find('\n') == text->size() - 1);
  Limits roomy = limits;
  roomy.line_max.value += 64;
  roomy.get_line_max.value += 64;
  roomy.key_max = ByteCount{250};
  const Parsed again = parse_request(*text, roomy);
  require(again.kind == Parsed::Kind::Request && again.consumed == text->size());
  require(again.request.verb == request.verb && again.request.body_size == request.body_size);
  require(!again.request.several_keys);
  const Rewrite life{.ttl_max = both.ttl_max};
  require(rewritten(request.verb, text->substr(0, text->size() - 2), life, kNow) == *text);
}

inline void check_request(const Parsed& parsed, const Limits& limits) {
  const Request& request = parsed.request;
  require(request.line.find('\n') == std::string_view::npos);
  require(request.body_size.has_value() ==
          (is_classic_storage(request.verb) || request.verb == Verb::MetaSet));
  require(!request.body_size || *request.body_size <= limits.value_max.value);
  check_keys(request, limits);
  check_command(request, limits);
  check_rewrite(request, limits);
}

/// Reads the front of `input`, and returns how many bytes to go on by; 0: nothing can follow.
inline std::size_t check_one(std::string_view input, const Limits& limits) {
  const Parsed parsed = parse_request(input, limits);
  if (parsed.kind == Parsed::Kind::Incomplete) {
    require(parsed.consumed == 0 && input.find('\n') == std::string_view::npos);
    return 0;
  }
  require(parsed.consumed > 0 && parsed.consumed <= input.size());
  std::size_t step = parsed.consumed;
  if (parsed.kind == Parsed::Kind::Request) {
    check_request(parsed, limits);
    step += parsed.request.body_size ? *parsed.request.body_size + 2 : 0;
  } else {
    const Refusal& refusal = parsed.refusal;
    require(refusal.reply.empty() || refusal.reply.ends_with("\r\n"));
    if (refusal.close) return 0;
    step += refusal.swallow;
  }
  const std::string_view line = input.substr(0, parsed.consumed);
  require(line.ends_with('\n'));
  // What is behind the line changes nothing, and without its last byte the line has not ended.
  require(parse_request(line, limits).kind == parsed.kind);
  require(parse_request(line.substr(0, line.size() - 1), limits).kind == Parsed::Kind::Incomplete);
  return step <= input.size() ? step : 0;
}

inline void check_request_bytes(std::string_view input) {
  const Limits limits{.value_max = ByteCount{1024}, .get_line_max = ByteCount{4096}};
  while (const std::size_t step = check_one(input, limits)) input.remove_prefix(step);
}

}  // namespace mcsteady::protocol::fuzz
