#include "proxy/shared_get.h"

#include <algorithm>
#include <iterator>

#include "mcsteady/protocol/sharing.h"
#include "proxy/coalescer.h"
#include "proxy/router.h"

namespace mcsteady::proxy {

void SharedGet::start(const routing::Route& route, upstream::ExchangePtr asked,
                      std::string_view key, std::string_view bytes, std::size_t lane) {
  route_ = &route;
  command_ = asked->command();
  key_ = key;
  bytes_ = bytes;
  waiting_.push_back({std::move(asked), lane});
  coalescer_.under_way_.emplace(bytes_, this);
  ask_for_the_waiting();
}

void SharedGet::join(upstream::ExchangePtr asked, std::size_t lane) {
  waiting_.push_back({std::move(asked), lane});
}

/// A loop: where the server is down it is over before send() returns.
void SharedGet::ask_for_the_waiting() {
  is_sending_ = true;
  while (members_.empty()) {
    std::erase_if(waiting_, [](const Member& member) { return member.asked->given_up(); });
    if (waiting_.empty()) {
      is_sending_ = false;
      return coalescer_.give_back(*this);
    }
    members_.swap(waiting_);
    send();
  }
  is_sending_ = false;
}

void SharedGet::send() {
  reply_begun_ = false;
  const Member& first = members_.front();
  upstream::ExchangePtr copy = coalescer_.router_.copy_of(*first.asked);
  if (!copy) {
    first.asked->server = "proxy";
    return on_failed(*first.asked, upstream::Failure::NoMemory);
  }
  copy->owner = this;
  coalescer_.router_.send(*route_->children.front(), std::move(copy), key_, bytes_, first.lane);
}

void SharedGet::let_go(std::size_t lane) {
  std::vector<Member> own;
  const auto take_own = [&](std::vector<Member>& from, std::size_t begin) {
    for (std::size_t i = begin; i < from.size();) {
      if (from[i].lane != lane) {
        ++i;
        continue;
      }
      own.push_back(std::move(from[i]));
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  // What goes by that lane is ahead of the write as it is, and what has a reply was read.
  const bool is_ahead = reply_begun_ || (!members_.empty() && members_.front().lane == lane);
  if (!is_ahead) take_own(members_, 1);
  take_own(waiting_, 0);
  for (Member& member : own) send_alone(std::move(member));
}

void SharedGet::send_alone(Member member) {
  if (member.asked->given_up()) return;
  coalescer_.router_.send(*route_->children.front(), std::move(member.asked), key_, bytes_,
                          member.lane);
}

void SharedGet::on_item(upstream::Exchange&, upstream::Item&& item) {
  reply_begun_ = true;
  if (protocol::gives_renewal(item.line)) keep_one();
  const bool is_last = item.line.last;
  const std::size_t count = members_.size();
  for (std::size_t i = 0; i < count; ++i) {
    upstream::Exchange& asked = *members_[i].asked;
    if (asked.given_up()) continue;
    // The block itself is the last one's; those before copy what they see of it.
    upstream::Item own{.line = item.line, .wire = item.wire, .large = {}};
    if (i + 1 == count) own.large = std::move(item.large);
    upstream::Exchange::Owner& owner = *asked.owner;
    if (is_last) asked.owner = nullptr;
    owner.on_item(asked, std::move(own));
  }
  if (is_last) end_round();
}

void SharedGet::on_line(upstream::Exchange&, const protocol::ReplyLine& line) {
  reply_begun_ = true;
  if (protocol::gives_renewal(line)) keep_one();
  for (Member& member : members_) {
    upstream::Exchange& asked = *member.asked;
    if (!asked.given_up()) std::exchange(asked.owner, nullptr)->on_line(asked, line);
  }
  end_round();
}

/// The right to renew is one's alone: the others ask again, ahead of those who came later.
void SharedGet::keep_one() {
  const auto one = std::ranges::find_if(
      members_, [](const Member& member) { return !member.asked->given_up(); });
  if (one == members_.end()) return;
  const auto others = std::next(one);
  waiting_.insert(waiting_.begin(), std::move_iterator(others), std::move_iterator(members_.end()));
  members_.erase(others, members_.end());
}

void SharedGet::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  if (failure == upstream::Failure::RequestDeadline && !reply_begun_) {
    // It was the first one's time that ran out. Who came later has some left.
    const TimePoint began = members_.front().asked->started;
    const auto later = std::ranges::find_if(
        members_, [&](const Member& member) { return member.asked->started > began; });
    waiting_.insert(waiting_.begin(), std::move_iterator(later),
                    std::move_iterator(members_.end()));
    members_.erase(later, members_.end());
  }
  reply_begun_ = true;
  for (Member& member : members_) {
    upstream::Exchange& asked = *member.asked;
    if (asked.given_up()) continue;
    asked.server = exchange.server;
    asked.on_down = exchange.on_down;
    std::exchange(asked.owner, nullptr)->on_failed(asked, failure);
  }
  end_round();
}

void SharedGet::end_round() {
  members_.clear();
  if (!is_sending_) ask_for_the_waiting();
}

}  // namespace mcsteady::proxy
