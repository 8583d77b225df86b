#include "proxy/rewriting.h"

#include <array>
#include <cassert>
#include <cstring>

#include "mcsteady/protocol/rewrite.h"
#include "proxy/router.h"

namespace mcsteady::proxy {

void Rewriting::start(const routing::Route& route, upstream::ExchangePtr asked, std::size_t lane) {
  route_ = &route;
  asked_ = std::move(asked);
  const std::string_view command = asked_->command();
  const std::string_view line = command.substr(0, command.find('\r'));
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(router_.wall_now().time_since_epoch());
  const auto text = protocol::rewritten(asked_->verb, line, route.rewrite, now.count());
  if (!text) return refuse_key();
  upstream::ExchangePtr exchange = compose(*text);
  if (!exchange) return on_failed(*asked_, upstream::Failure::NoMemory);
  const std::string_view new_line = std::string_view(*text).substr(0, text->size() - 2);
  protocol::KeyWalker words(new_line);
  words.next();
  if (protocol::is_classic_retrieval(exchange->verb) && exchange->verb != protocol::Verb::Get &&
      exchange->verb != protocol::Verb::Gets) {
    words.next();
  }
  std::array<char, protocol::kRawKeyMax> room;
  const std::string_view key = words.next();
  const std::string_view bytes = protocol::is_meta(exchange->verb)
                                     ? protocol::raw_key(exchange->verb, new_line, key, room)
                                     : key;
  router_.send(*route.children.front(), std::move(exchange), key, bytes, lane);
}

upstream::ExchangePtr Rewriting::compose(std::string_view line) {
  const std::string_view command = asked_->command();
  const std::string_view small_body = command.substr(command.find('\n') + 1);
  net::Block head = router_.context_.blocks.allocate(line.size() + small_body.size());
  if (!head) return upstream::ExchangePtr(nullptr, {});
  std::memcpy(head.data(), line.data(), line.size());
  if (!small_body.empty()) {
    std::memcpy(head.data() + line.size(), small_body.data(), small_body.size());
  }
  upstream::ExchangePtr exchange = router_.context_.exchanges.make();
  exchange->owner = this;
  exchange->verb = asked_->verb;
  exchange->shape = asked_->shape;
  exchange->idempotent = asked_->idempotent;
  exchange->quiet = asked_->quiet;
  exchange->started = asked_->started;
  exchange->follows_write = asked_->follows_write;
  exchange->head = std::move(head);
  exchange->head_size = line.size() + small_body.size();
  exchange->body = std::move(asked_->body);
  exchange->body_size = std::exchange(asked_->body_size, 0);
  return exchange;
}

void Rewriting::refuse_key() {
  text_ = "CLIENT_ERROR bad command line format\r\n";
  const auto line = protocol::parse_reply_line(text_, asked_->shape);
  assert(line && *line);
  tell(**line);
}

void Rewriting::on_item(upstream::Exchange& exchange, upstream::Item&& item) {
  const bool is_last = item.line.last;
  if (!asked_->given_up()) {
    if (route_->rewrite.changes_keys() && !restore(item)) {
      exchange.owner = nullptr;  // what still comes is dropped
      return on_failed(exchange, upstream::Failure::NoMemory);
    }
    if (is_last) {
      take_owner()->on_item(*asked_, std::move(item));
    } else {
      asked_->owner->on_item(*asked_, std::move(item));
    }
  }
  if (is_last) end();
}

bool Rewriting::restore(upstream::Item& item) {
  const std::string_view body = item.wire.substr(item.line.line.size());
  text_ = protocol::restored(asked_->verb, item.line.line, asked_->command());
  const std::size_t line_size = text_.size();
  if (item.large) {
    net::Block block = router_.context_.blocks.allocate(line_size + body.size());
    if (!block) return false;
    std::memcpy(block.data(), text_.data(), line_size);
    std::memcpy(block.data() + line_size, body.data(), body.size());
    item.wire = {block.data(), line_size + body.size()};
    item.large = std::move(block);
  } else {
    text_ += body;
    item.wire = text_;
  }
  const bool is_last = item.line.last;
  const auto line = protocol::parse_reply_line(item.wire.substr(0, line_size), asked_->shape);
  assert(line && *line);
  item.line = **line;
  item.line.last = is_last;
  return true;
}

void Rewriting::on_line(upstream::Exchange&, const protocol::ReplyLine& line) {
  if (!route_->rewrite.changes_keys() || !protocol::is_meta(asked_->verb) ||
      protocol::is_error(line.code)) {
    return tell(line);
  }
  text_ = protocol::restored(asked_->verb, line.line, asked_->command());
  const auto restored = protocol::parse_reply_line(text_, asked_->shape);
  assert(restored && *restored);
  tell(**restored);
}

void Rewriting::tell(const protocol::ReplyLine& line) {
  if (!asked_->given_up()) take_owner()->on_line(*asked_, line);
  end();
}

void Rewriting::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  if (!asked_->given_up()) {
    asked_->server = failure == upstream::Failure::NoMemory ? "proxy" : exchange.server;
    asked_->on_down = exchange.on_down;
    take_owner()->on_failed(*asked_, failure);
  }
  end();
}

void Rewriting::end() {
  asked_.reset();
  router_.give_back(*this);
}

}  // namespace mcsteady::proxy
