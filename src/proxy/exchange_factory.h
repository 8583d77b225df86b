#pragma once

#include <cstring>
#include <string_view>
#include <utility>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"
#include "proxy/worker_context.h"

namespace mcsteady::proxy {

/// The value of a storage request with its CRLF: small ones lie in the client's input, large ones
/// in a block of their own.
struct Body {
  std::string_view small;
  net::Block large;
  std::size_t large_size = 0;
};

inline upstream::ExchangePtr make_exchange(WorkerContext& context, upstream::Exchange::Owner& owner,
                                           protocol::Verb verb, TimePoint started) {
  upstream::ExchangePtr exchange = context.exchanges.make();
  exchange->owner = &owner;
  exchange->verb = verb;
  exchange->shape = protocol::reply_shape(verb);
  exchange->started = started;
  return exchange;
}

/// The exchange of a request that goes to one server as it is. Null where the memory ceiling does
/// not allow it.
inline upstream::ExchangePtr make_exchange(WorkerContext& context, upstream::Exchange::Owner& owner,
                                           const protocol::Request& request, Body&& body,
                                           TimePoint started) {
  const std::size_t head_size = request.line.size() + 2 + body.small.size();
  net::Block head = context.blocks.allocate(head_size);
  if (!head) return upstream::ExchangePtr(nullptr, {});
  upstream::ExchangePtr exchange = make_exchange(context, owner, request.verb, started);
  exchange->idempotent = protocol::is_idempotent(request);
  exchange->quiet = request.quiet;
  exchange->head = std::move(head);
  exchange->head_size = protocol::compose_command(request, exchange->head.data());
  if (!body.small.empty()) {
    std::memcpy(exchange->head.data() + exchange->head_size, body.small.data(), body.small.size());
    exchange->head_size += body.small.size();
  }
  exchange->body = std::move(body.large);
  exchange->body_size = body.large_size;
  return exchange;
}

}  // namespace mcsteady::proxy
