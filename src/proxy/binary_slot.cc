#include "proxy/binary_slot.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "proxy/client_connection.h"
#include "proxy/outcomes.h"
#include "proxy/unavailable.h"

namespace mcsteady::proxy {

namespace binary = protocol::binary;
using protocol::Verb;

void BinarySlot::start(ClientConnection& client, TimePoint now, const binary::Request& request,
                       Body&& body) {
  begin(client, now);
  refusal_.reset();
  submit(request, std::move(body));
}

void BinarySlot::forget(ClientConnection& client, TimePoint now, const binary::Request& request,
                        binary::Status status) {
  begin(client, now);
  refusal_ = status;
  binary::Request deletion{.call = request.call, .key = request.key};
  deletion.call.verb = Verb::Delete;
  submit(deletion, Body{});
}

void BinarySlot::submit(const binary::Request& request, Body&& body) {
  call_ = request.call;
  key_size_ = call_.returns_key ? request.key.size() : 0;
  std::copy_n(request.key.begin(), key_size_, key_.begin());
  request_memory_ = 0;
  upstream::ExchangePtr exchange = make_command(request, std::move(body));
  if (!exchange) {
    write_unavailable(context_.router.on_down(), upstream::describe(upstream::Failure::NoMemory));
    return end();
  }
  exchange_ = exchange.get();
  exchange->follows_write = client_->note_order(exchange->verb);
  request_memory_ = exchange->head.capacity() + exchange->body.capacity();
  client_->hold_request(request_memory_);
  context_.router.submit(std::move(exchange), request.key, client_->lane());
}

/// Null where the memory ceiling does not allow it.
upstream::ExchangePtr BinarySlot::make_command(const binary::Request& request, Body&& body) {
  std::array<char, binary::kCommandMax> command;
  const std::size_t command_size = binary::compose_command(request, command.data());
  const bool small_value = request.has_value && !body.large;
  const std::size_t value_size = small_value ? body.small.size() + 2 : 0;
  net::Block head = context_.blocks.allocate(command_size + value_size);
  if (!head) return upstream::ExchangePtr(nullptr, {});

  char* end = std::copy_n(command.begin(), command_size, head.data());
  if (small_value) {
    end = std::copy(body.small.begin(), body.small.end(), end);
    *end++ = '\r';
    *end++ = '\n';
  }
  upstream::ExchangePtr exchange =
      make_exchange(context_, *this, binary::command_verb(request.call.verb), started_);
  exchange->idempotent = binary::is_idempotent(request);
  exchange->head_size = static_cast<std::size_t>(end - head.data());
  exchange->head = std::move(head);
  exchange->body = std::move(body.large);
  exchange->body_size = body.large_size;
  return exchange;
}

void BinarySlot::count(const upstream::Exchange& exchange, protocol::ReplyCode code) {
  if (refusal_ || protocol::is_error(code)) return;
  if (exchange.verb != Verb::MetaGet) {
    return count_outcome(context_.metrics, exchange.verb, exchange.command(), code);
  }
  count_key(code == protocol::ReplyCode::MetaValue || code == protocol::ReplyCode::MetaHeader);
}

/// Of what reads a value or touches it, which are one meta command.
void BinarySlot::count_key(bool hit) {
  WorkerMetrics& metrics = context_.metrics;
  const auto add_to = [hit](HitsAndMisses& of) { (hit ? of.hits : of.misses).add(); };
  if (call_.verb == Verb::Touch) return add_to(metrics.of_touch);
  if (call_.verb != Verb::Get && call_.verb != Verb::Gat) return;
  metrics.get_keys.add();
  (hit ? metrics.get_hits : metrics.get_misses).add();
  if (call_.verb == Verb::Gat) add_to(metrics.of_gat);
}

void BinarySlot::on_item(upstream::Exchange& exchange, upstream::Item&& item) {
  count(exchange, item.line.code);
  client_->learn_item_size(item.wire.size());
  const std::size_t begin = item.line.line.size();
  const std::size_t size = *item.line.value_size;
  const binary::Reply reply =
      binary::translate(call_, key(), item.line, item.wire.substr(begin, size));
  if (item.large && !reply.rest.empty()) {
    write(reply.head.view());
    write(std::move(item.large), begin, begin + size);
  } else {
    write_whole(reply);
  }
  end();
}

void BinarySlot::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  count(exchange, line.code);
  write_whole(binary::translate(call_, key(), line, {}));
  end();
}

void BinarySlot::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  count_key(false);
  write_unavailable(exchange.on_down, cause_of(exchange, failure));
  end();
}

void BinarySlot::write_unavailable(protocol::DownPolicy on_down, std::string_view why) {
  context_.metrics.unavailable.add();
  write_whole(binary::unavailable_reply(call_, key(), on_down, why));
}

void BinarySlot::write_whole(const binary::Reply& server_says) {
  const binary::Reply& reply = refusal_ ? binary::error_reply(call_, *refusal_) : server_says;
  if (reply.withheld) return;
  write(reply.head.view());
  write(reply.rest);
}

void BinarySlot::end() {
  exchange_ = nullptr;
  client_->release_request(std::exchange(request_memory_, 0));
  finish();
}

void BinarySlot::give_up() {
  if (exchange_ != nullptr) exchange_->give_up();
  exchange_ = nullptr;
}

void BinarySlot::recycle() {
  clear();
  context_.binary_slots.give_back(*this);
}

}  // namespace mcsteady::proxy
