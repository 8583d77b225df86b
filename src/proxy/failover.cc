#include "proxy/failover.h"

#include <optional>
#include <utility>

#include "proxy/router.h"

namespace mcsteady::proxy {

namespace {
bool is_miss(protocol::Verb verb, protocol::ReplyCode code) {
  if (protocol::is_classic_retrieval(verb)) return code == protocol::ReplyCode::End;
  return verb == protocol::Verb::MetaGet && code == protocol::ReplyCode::MetaMiss;
}
}  // namespace

void Failover::start(const routing::Route& route, upstream::ExchangePtr asked, std::string_view key,
                     std::string_view bytes, std::size_t lane, std::size_t first) {
  route_ = &route;
  asked_ = std::move(asked);
  key_ = key;
  bytes_ = bytes;
  lane_ = lane;
  first_ = first;
  next_ = 0;
  reply_begun_ = false;
  ask_next();
}

void Failover::ask_next() {
  upstream::ExchangePtr copy = router_.copy_of(*asked_);
  if (!copy) {
    asked_->server = "proxy";
    take_owner()->on_failed(*asked_, upstream::Failure::NoMemory);
    return end();
  }
  copy->owner = this;
  ++next_;
  asked_at_ = router_.context_.loop.now();
  router_.send(*route_->children[last_child()], std::move(copy), key_, bytes_, lane_);
}

void Failover::note_answer(bool answered) {
  const Duration took = router_.context_.loop.now() - asked_at_;
  router_.on_read(*route_, last_child(), answered ? std::optional(took) : std::nullopt);
}

bool Failover::may_go_on() const {
  return !reply_begun_ && next_ < route_->children.size() && !asked_->given_up();
}

void Failover::on_item(upstream::Exchange&, upstream::Item&& item) {
  const bool is_second_choice = next_ > 1;
  if (is_second_choice && route_->fill.count() > 0 && item.line.value_size) {
    router_.fill(*route_->children.front(), route_->fill, *asked_, item, key_, bytes_, lane_);
  }
  if (!std::exchange(reply_begun_, true)) note_answer(true);
  const bool is_last = item.line.last;
  if (asked_->given_up()) {
    // its client has gone
  } else if (is_last) {
    take_owner()->on_item(*asked_, std::move(item));
  } else {
    asked_->owner->on_item(*asked_, std::move(item));
  }
  if (is_last) end();
}

void Failover::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  if (!reply_begun_) note_answer(true);
  if (route_->failover.on_miss && is_miss(exchange.verb, line.code) && may_go_on()) {
    return ask_next();
  }
  if (!asked_->given_up()) take_owner()->on_line(*asked_, line);
  end();
}

void Failover::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  note_answer(false);
  if (route_->failover.goes_on(failure, asked_->idempotent) && may_go_on()) return ask_next();
  asked_->server = exchange.server;
  asked_->on_down = exchange.on_down;
  if (!asked_->given_up()) take_owner()->on_failed(*asked_, failure);
  end();
}

void Failover::end() {
  asked_.reset();
  router_.give_back(*this);
}

}  // namespace mcsteady::proxy
