#pragma once

#include <string>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/routing/pool.h"

namespace mcsteady::proxy {

/// What the client gets where we have no memory for its request.
inline std::string no_memory_reply(const routing::Pool& pool, const protocol::Request& request) {
  std::string reply;
  protocol::compose_unavailable(request.verb, request.quiet, request.line, pool.on_down(),
                                upstream::describe(upstream::Failure::NoMemory), reply);
  return reply;
}

/// What the client gets by the pool's policy where `server` gave no reply.
inline std::string unavailable_reply(const routing::Pool& pool, const upstream::Server& server,
                                     const upstream::Exchange& exchange,
                                     upstream::Failure failure) {
  const std::string_view command = exchange.command();
  std::string reply;
  protocol::compose_unavailable(exchange.verb, exchange.quiet,
                                command.substr(0, command.find('\r')), pool.on_down(),
                                server.name() + ": " + upstream::describe(failure), reply);
  return reply;
}

}  // namespace mcsteady::proxy
