#include "proxy/replication.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "proxy/router.h"

namespace mcsteady::proxy {

namespace {
using Answer = routing::RouteOptions::Answer;
using protocol::ReplyCode;

/// Higher is worse.
int badness(ReplyCode code) {
  switch (code) {
    case ReplyCode::NotStored:
    case ReplyCode::Exists:
    case ReplyCode::NotFound:
    case ReplyCode::MetaMiss:
    case ReplyCode::MetaNotFound:
    case ReplyCode::MetaNotStored:
    case ReplyCode::MetaExists:
      return 1;
    case ReplyCode::Other:
      return 2;
    default:
      return protocol::is_error(code) ? 2 : 0;
  }
}
}  // namespace

void Replication::start(const routing::Route& route, upstream::ExchangePtr asked,
                        std::string_view key, std::string_view bytes, std::size_t lane) {
  route_ = &route;
  asked_ = std::move(asked);
  const std::size_t count = route.children.size();
  outcomes_.resize(count);
  for (Outcome& outcome : outcomes_) outcome.state = Outcome::State::Waiting;
  waiting_ = count;
  streaming_ = kNone;
  is_starting_ = true;  // failures may come at once, and `asked_` is still copied from
  for (std::size_t i = 0; i < count; ++i) {
    upstream::ExchangePtr copy = router_.copy_of(*asked_);
    if (!copy) {
      outcomes_[i].state = Outcome::State::Failed;
      outcomes_[i].failure = upstream::Failure::NoMemory;
      outcomes_[i].server = "proxy";
      --waiting_;
      continue;
    }
    copy->owner = this;
    copy->tag = static_cast<std::uint32_t>(i);
    router_.send(*route.children[i], std::move(copy), key, bytes, lane);
  }
  is_starting_ = false;
  on_outcome();
}

bool Replication::is_read() const {
  return protocol::is_classic_retrieval(asked_->verb) || asked_->verb == protocol::Verb::MetaGet;
}

void Replication::on_item(upstream::Exchange& exchange, upstream::Item&& item) {
  const bool is_last = item.line.last;
  if (!is_told() && (streaming_ == kNone || streaming_ == exchange.tag)) {
    streaming_ = exchange.tag;
    if (!asked_->given_up()) {
      if (is_last) {
        take_owner()->on_item(*asked_, std::move(item));
      } else {
        asked_->owner->on_item(*asked_, std::move(item));
      }
    }
    if (is_last) asked_.reset();
  }
  if (!is_last) return;
  --waiting_;
  end_if_done();
}

void Replication::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  --waiting_;
  if (!is_told() && streaming_ == exchange.tag) {
    if (!asked_->given_up()) take_owner()->on_line(*asked_, line);
    asked_.reset();
    return end_if_done();
  }
  Outcome& outcome = outcomes_[exchange.tag];
  outcome.state = Outcome::State::Line;
  outcome.code = line.code;
  outcome.line = line.line;
  on_outcome();
}

void Replication::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  --waiting_;
  Outcome& outcome = outcomes_[exchange.tag];
  outcome.state = Outcome::State::Failed;
  outcome.failure = failure;
  outcome.server = exchange.server;
  outcome.on_down = exchange.on_down;
  if (!is_told() && streaming_ == exchange.tag) {  // half of its reply is with the owner
    tell(outcome);
    return end_if_done();
  }
  on_outcome();
}

void Replication::on_outcome() {
  if (is_starting_) return;
  if (!is_told() && streaming_ == kNone) {
    if (const Outcome* decided = decide()) tell(*decided);
  }
  end_if_done();
}

const Replication::Outcome* Replication::decide() const {
  if (is_read()) return decide_read();
  switch (route_->answer) {
    case Answer::Main:
      return outcomes_.front().state == Outcome::State::Waiting ? nullptr : &outcomes_.front();
    case Answer::First: {
      const auto found = std::ranges::find(outcomes_, Outcome::State::Line, &Outcome::state);
      if (found != outcomes_.end()) return &*found;
      break;
    }
    case Answer::Majority:
      if (const Outcome* agreed = majority()) return agreed;
      break;
    case Answer::All:
      break;
  }
  return waiting_ == 0 ? &worst() : nullptr;
}

const Replication::Outcome* Replication::decide_read() const {
  const Outcome* miss = nullptr;
  for (const Outcome& outcome : outcomes_) {
    if (outcome.state != Outcome::State::Line) continue;
    if (outcome.code == ReplyCode::MetaHeader)
      return &outcome;  // a hit of which no value was asked
    if (miss == nullptr || badness(outcome.code) < badness(miss->code)) miss = &outcome;
  }
  if (waiting_ != 0) return nullptr;
  return miss != nullptr ? miss : &worst();
}

const Replication::Outcome* Replication::majority() const {
  for (const Outcome& outcome : outcomes_) {
    if (outcome.state != Outcome::State::Line) continue;
    const auto same = std::ranges::count_if(outcomes_, [&](const Outcome& other) {
      return other.state == Outcome::State::Line && other.code == outcome.code;
    });
    if (static_cast<std::size_t>(same) * 2 > outcomes_.size()) return &outcome;
  }
  return nullptr;
}

const Replication::Outcome& Replication::worst() const {
  const auto rank = [](const Outcome& outcome) {
    return outcome.state == Outcome::State::Failed ? 3 : badness(outcome.code);
  };
  return *std::ranges::max_element(outcomes_, {}, rank);
}

void Replication::tell(const Outcome& outcome) {
  if (!asked_->given_up()) {
    if (outcome.state == Outcome::State::Failed) {
      asked_->server = outcome.server;
      asked_->on_down = outcome.on_down;
      take_owner()->on_failed(*asked_, outcome.failure);
    } else {
      const auto line = protocol::parse_reply_line(outcome.line, asked_->shape);
      assert(line && *line && "it was one when it came");
      take_owner()->on_line(*asked_, **line);
    }
  }
  asked_.reset();
}

void Replication::end_if_done() {
  if (waiting_ != 0 || is_starting_) return;
  router_.give_back(*this);
}

}  // namespace mcsteady::proxy
