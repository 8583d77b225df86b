#include "proxy/single_slot.h"

#include <array>
#include <string>
#include <utility>

#include "proxy/client_connection.h"
#include "proxy/outcomes.h"
#include "proxy/unavailable.h"

namespace mcsteady::proxy {

void SingleSlot::start(ClientConnection& client, TimePoint now, const protocol::Request& request,
                       Body&& body) {
  refusal_.reset();
  submit(client, now, request, std::move(body));
}

void SingleSlot::forget(ClientConnection& client, TimePoint now, const protocol::Request& storage,
                        std::string_view refusal) {
  refusal_ = refusal;
  std::array<char, protocol::kDeletionMax> room;
  submit(client, now, protocol::deletion_of(storage, room), Body{});
}

void SingleSlot::submit(ClientConnection& client, TimePoint now, const protocol::Request& request,
                        Body&& body) {
  begin(client, now);
  hit_ = false;
  upstream::ExchangePtr exchange = make_exchange(context_, *this, request, std::move(body), now);
  if (!exchange) {
    context_.metrics.unavailable.add();
    request_memory_ = 0;
    reply(no_memory_reply(context_.router.on_down(), request));
    return end();
  }
  exchange_ = exchange.get();
  exchange->follows_write = client.note_order(request.verb);
  request_memory_ = exchange->head.capacity() + exchange->body.capacity();
  client.hold_request(request_memory_);
  context_.router.submit(std::move(exchange), request.keys, client.lane());
}

void SingleSlot::answer(ClientConnection& client, TimePoint now, std::string_view text) {
  begin(client, now);
  request_memory_ = 0;
  write(text);
  finish();
}

namespace {
/// Whether `get_keys` and its hits and misses count the verb.
bool is_counted_get(protocol::Verb verb) {
  return protocol::is_classic_retrieval(verb) || verb == protocol::Verb::MetaGet;
}
}  // namespace

void SingleSlot::on_item(upstream::Exchange& exchange, upstream::Item&& item) {
  hit_ = true;
  count_outcome(context_.metrics, exchange.verb, exchange.command(), item.line.code);
  if (is_counted_get(exchange.verb)) context_.metrics.get_hits.add();
  const std::size_t size = item.wire.size();
  client_->learn_item_size(size);
  if (protocol::is_withheld(exchange.verb, exchange.quiet, item.line.code)) {
    // ma with q and v: its value is a nominal reply like any other
  } else if (item.large) {
    write(std::move(item.large), size);
  } else {
    write(item.wire);
  }
  if (!item.line.last) return;
  if (exchange.verb == protocol::Verb::MetaGet) context_.metrics.get_keys.add();
  end();
}

void SingleSlot::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  if (is_counted_get(exchange.verb)) {
    context_.metrics.get_keys.add();
    if (line.code == protocol::ReplyCode::MetaHeader) context_.metrics.get_hits.add();
    const bool miss = line.code == protocol::ReplyCode::MetaMiss ||
                      (line.code == protocol::ReplyCode::End && !hit_);
    if (miss) context_.metrics.get_misses.add();
  }
  // A classic get ends its hit with the line that alone is a miss.
  const bool counts = !hit_ && !refusal_;
  if (counts) count_outcome(context_.metrics, exchange.verb, exchange.command(), line.code);
  if (!protocol::is_withheld(exchange.verb, exchange.quiet, line.code)) reply(line.line);
  end();
}

void SingleSlot::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  context_.metrics.unavailable.add();
  if (is_counted_get(exchange.verb)) {
    context_.metrics.get_keys.add();
    if (!hit_) context_.metrics.get_misses.add();
  }
  reply(unavailable_reply(exchange, failure));
  end();
}

void SingleSlot::end() {
  exchange_ = nullptr;
  client_->release_request(std::exchange(request_memory_, 0));
  finish();
}

void SingleSlot::give_up() {
  if (exchange_ != nullptr) exchange_->give_up();
  exchange_ = nullptr;
}

void SingleSlot::recycle() {
  clear();
  context_.single_slots.give_back(*this);
}

}  // namespace mcsteady::proxy
