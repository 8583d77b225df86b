#include "proxy/router.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "mcsteady/protocol/addition.h"
#include "mcsteady/protocol/reply.h"

namespace mcsteady::proxy {

namespace {
using Kind = routing::RouteOptions::Kind;
using Read = routing::RouteOptions::Read;
using upstream::Exchange;

/// The key's bytes, which prefixes are compared with and most placements hash. (Binary clients give
/// them at once.)
std::string_view bytes_of(std::string_view key, const Exchange& exchange,
                          std::array<char, protocol::kRawKeyMax>& room) {
  if (!protocol::is_meta(exchange.verb)) return key;
  const std::string_view command = exchange.command();
  protocol::KeyWalker words(command);
  words.next();
  if (words.next() != key) return key;
  return protocol::raw_key(exchange.verb, command.substr(0, command.find('\r')), key, room);
}

/// Tells the owner what a server says that has no such key and stores nothing.
void answer_with_nothing(Exchange& exchange) {
  const std::string_view command = exchange.command();
  std::string reply;
  protocol::compose_nothing(exchange.verb, command.substr(0, command.find('\r')), reply);
  const auto line = protocol::parse_reply_line(reply, exchange.shape);
  assert(line && *line);
  std::exchange(exchange.owner, nullptr)->on_line(exchange, **line);
}

bool is_read(protocol::Verb verb) {
  using protocol::Verb;
  return verb == Verb::Get || verb == Verb::Gets || verb == Verb::MetaGet ||
         verb == Verb::MetaDebug;
}

void refuse(Exchange& exchange, std::string_view words) {
  exchange.server = words;
  exchange.on_down = protocol::DownPolicy::Error;
  std::exchange(exchange.owner, nullptr)->on_failed(exchange, upstream::Failure::Refused);
}
}  // namespace

Router::Router(const WorkerOptions& options, const upstream::Context& context,
               upstream::Fleet& fleet, metrics::Registry& registry)
    : tree_(options.route),
      context_(context),
      start_(context.loop.now()),
      wall_start_(options.started_at),
      workers_(options.workers),
      side_requests_(registry),
      coalescer_(*this, registry) {
  registry.add({"over_rate", ""}, over_rate_);
  add_pools(options, context, fleet, registry);
  number_servers();
}

void Router::add_pools(const WorkerOptions& options, const upstream::Context& context,
                       upstream::Fleet& fleet, metrics::Registry& registry) {
  for (const std::string& name : tree_.pools()) {
    const auto found = std::ranges::find(options.pools, name, &routing::PoolOptions::name);
    assert(found != options.pools.end() && "the configuration has been checked");
    pools_.push_back(std::make_unique<routing::Pool>(*found, context, fleet, registry));
  }
}

void Router::number_servers() {
  first_number_.clear();
  server_count_ = 0;
  for (const auto& pool : pools_) {
    first_number_.push_back(server_count_);
    server_count_ += pool->size();
  }
}

void Router::submit(upstream::ExchangePtr exchange, std::string_view key, std::size_t lane) {
  std::array<char, protocol::kRawKeyMax> room;
  const std::string_view bytes = bytes_of(key, *exchange, room);
  send(tree_.root(), std::move(exchange), key, bytes, lane);
}

void Router::send(const routing::Route& from, upstream::ExchangePtr exchange, std::string_view key,
                  std::string_view bytes, std::size_t lane) {
  const routing::Route& route =
      from.kind == Kind::Pool ? from : routing::RouteTree::select(from, exchange->verb, bytes);
  switch (route.kind) {
    case Kind::Null:
      return answer_with_nothing(*exchange);
    case Kind::Error:
      return refuse(*exchange, route.text);
    case Kind::Failover:
      return failovers_.take().start(route, std::move(exchange), key, bytes, lane);
    case Kind::Replicate:
      return replicate(route, std::move(exchange), key, bytes, lane);
    case Kind::Migrate:
      return migrate(route, std::move(exchange), key, bytes, lane);
    case Kind::RateLimit:
      if (allows(route)) return send(*route.children[0], std::move(exchange), key, bytes, lane);
      return route.text.empty() ? answer_with_nothing(*exchange) : refuse(*exchange, route.text);
    case Kind::Coalesce:
      return coalescer_.take(route, std::move(exchange), key, bytes, lane);
    case Kind::Rewrite:
      return rewritings_.take().start(route, std::move(exchange), lane);
    case Kind::Shadow:
      if (route.copies(bytes)) send_shadow(*route.children[1], *exchange, key, bytes, lane);
      return send(*route.children[0], std::move(exchange), key, bytes, lane);
    default: {
      routing::Pool& pool = *pools_[route.pool];
      const std::size_t index = pool.place(pool.places_bytes() ? bytes : key);
      submit_to({.pool = &pool, .index = index}, std::move(exchange), lane);
    }
  }
}

upstream::ExchangePtr Router::copy_of(const Exchange& exchange) {
  net::Block head = context_.blocks.allocate(exchange.head_size);
  net::Block body;
  if (exchange.body_size != 0) body = context_.blocks.allocate(exchange.body_size);
  if (!head || (exchange.body_size != 0 && !body)) return upstream::ExchangePtr(nullptr, {});
  std::memcpy(head.data(), exchange.head.data(), exchange.head_size);
  if (body) std::memcpy(body.data(), exchange.body.data(), exchange.body_size);
  upstream::ExchangePtr copy = context_.exchanges.make();
  copy->verb = exchange.verb;
  copy->shape = exchange.shape;
  copy->idempotent = exchange.idempotent;
  copy->quiet = exchange.quiet;
  copy->started = exchange.started;
  copy->follows_write = exchange.follows_write;
  copy->head = std::move(head);
  copy->head_size = exchange.head_size;
  copy->body = std::move(body);
  copy->body_size = exchange.body_size;
  return copy;
}

bool Router::allows(const routing::Route& rate_limit) {
  const TimePoint now = context_.loop.now();
  const double per_second = static_cast<double>(rate_limit.per_second) / workers_;
  const double burst = std::max(1.0, static_cast<double>(rate_limit.burst) / workers_);
  auto& bucket = buckets_.try_emplace(&rate_limit, per_second, burst, now).first->second;
  if (bucket.take(now)) return true;
  over_rate_.add();
  return false;
}

void Router::replicate(const routing::Route& route, upstream::ExchangePtr exchange,
                       std::string_view key, std::string_view bytes, std::size_t lane) {
  if (is_read(exchange->verb) && route.read != Read::All) {
    const std::size_t first = first_to_read(route);
    return failovers_.take().start(route, std::move(exchange), key, bytes, lane, first);
  }
  replications_.take().start(route, std::move(exchange), key, bytes, lane);
}

std::size_t Router::first_to_read(const routing::Route& replicate) {
  switch (replicate.read) {
    case Read::Spread:
      return spread_++ % replicate.children.size();
    case Read::Fastest:
      return fastest_.try_emplace(&replicate, replicate.children.size()).first->second.choose();
    default:
      return 0;
  }
}

void Router::on_read(const routing::Route& failover, std::size_t child,
                     std::optional<Duration> took) {
  if (failover.read != Read::Fastest) return;
  routing::Fastest& fastest = fastest_.at(&failover);
  took ? fastest.answered(child, *took) : fastest.failed(child);
}

void Router::migrate(const routing::Route& route, upstream::ExchangePtr exchange,
                     std::string_view key, std::string_view bytes, std::size_t lane) {
  if (route.until && wall_now() >= *route.until) {
    return send(*route.children[0], std::move(exchange), key, bytes, lane);
  }
  replicate(route, std::move(exchange), key, bytes, lane);
}

void Router::send_shadow(const routing::Route& route, const Exchange& exchange,
                         std::string_view key, std::string_view bytes, std::size_t lane) {
  if (!side_requests_.has_room(exchange.head_size + exchange.body_size)) return;
  upstream::ExchangePtr copy = copy_of(exchange);
  if (!copy) return;
  side_requests_.adopt(*copy);
  send(route, std::move(copy), key, bytes, lane);
}

void Router::fill(const routing::Route& route, std::chrono::seconds ttl, const Exchange& asked,
                  const upstream::Item& item, std::string_view key, std::string_view bytes,
                  std::size_t lane) {
  const auto command = protocol::addition_of(asked.verb, asked.command(), key, item.line, ttl);
  if (!command) return;
  const std::string_view value = item.wire.substr(item.line.line.size());
  const std::size_t size = command->line.size() + value.size();
  if (!side_requests_.has_room(size)) return;
  net::Block head = context_.blocks.allocate(size);
  if (!head) return;
  upstream::ExchangePtr exchange = context_.exchanges.make();
  exchange->verb = command->verb;
  exchange->shape = protocol::reply_shape(command->verb);
  exchange->idempotent = false;
  exchange->started = context_.loop.now();
  std::memcpy(head.data(), command->line.data(), command->line.size());
  std::memcpy(head.data() + command->line.size(), value.data(), value.size());
  exchange->head = std::move(head);
  exchange->head_size = size;
  side_requests_.adopt(*exchange);
  send(route, std::move(exchange), key, bytes, lane);
}

std::optional<Router::Target> Router::only_target(protocol::Verb verb, std::string_view key) const {
  const routing::Route& route = select(verb, key);
  if (route.kind != Kind::Pool) return std::nullopt;
  return target(route.pool, pools_[route.pool]->place(key));
}

void Router::submit_to(const Target& target, upstream::ExchangePtr exchange, std::size_t lane) {
  exchange->on_down = target.pool->on_down();
  target.pool->server(target.index).submit(std::move(exchange), lane);
}

Router::Everyone Router::everyone(protocol::Verb verb) const {
  const routing::RouteTree::Reach reach = tree_.reach(verb);
  Everyone everyone;
  for (const std::size_t pool : reach.pools) {
    for (const std::size_t index : pools_[pool]->members()) {
      if (pools_[pool]->is_used(index)) everyone.targets.push_back(target(pool, index));
    }
  }
  if (reach.error != nullptr) everyone.refusal = reach.error->text;
  return everyone;
}

void Router::change_pool(const std::string& name, const routing::MembershipPtr& membership) {
  for (const auto& pool : pools_) {
    if (pool->name() == name) pool->change(membership);
  }
  number_servers();
}

void Router::on_addresses_changed() {
  for (const auto& pool : pools_) pool->on_addresses_changed();
}

}  // namespace mcsteady::proxy
