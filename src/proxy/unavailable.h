#pragma once

#include <string>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

/// What the client gets where we have no memory for its request.
inline std::string no_memory_reply(protocol::DownPolicy on_down, const protocol::Request& request) {
  std::string reply;
  protocol::compose_unavailable(request.verb, request.quiet, request.line, on_down,
                                upstream::describe(upstream::Failure::NoMemory), reply);
  return reply;
}

/// Who did not answer, and why.
inline std::string cause_of(const upstream::Exchange& exchange, upstream::Failure failure) {
  std::string cause(exchange.server);
  if (failure == upstream::Failure::Refused) return cause;
  return cause.append(": ").append(upstream::describe(failure));
}

/// What the client gets by the pool's policy where no server gave a reply.
inline std::string unavailable_reply(const upstream::Exchange& exchange,
                                     upstream::Failure failure) {
  const std::string_view command = exchange.command();
  std::string reply;
  protocol::compose_unavailable(exchange.verb, exchange.quiet,
                                command.substr(0, command.find('\r')), exchange.on_down,
                                cause_of(exchange, failure), reply);
  return reply;
}

}  // namespace mcsteady::proxy
