#pragma once

#include <cassert>

#include "mcsteady/upstream/exchange.h"

namespace mcsteady::upstream {

/// The exchanges of one connection in the order in which they are sent and answered. Owns them:
/// push_back takes over, take gives back. Intrusive, so that none of it allocates.
class ExchangeList {
 public:
  explicit ExchangeList(ExchangePool& pool) : pool_(pool) {}
  ~ExchangeList() {
    while (front_ != nullptr) take(*front_);
  }
  ExchangeList(const ExchangeList&) = delete;
  ExchangeList& operator=(const ExchangeList&) = delete;

  bool empty() const { return front_ == nullptr; }
  std::size_t size() const { return size_; }
  Exchange* front() const { return front_; }
  static Exchange* after(const Exchange& exchange) { return exchange.next_; }

  void push_back(ExchangePtr owned) {
    Exchange* exchange = owned.release();
    exchange->previous_ = back_;
    exchange->next_ = nullptr;
    (back_ != nullptr ? back_->next_ : front_) = exchange;
    back_ = exchange;
    ++size_;
  }
  ExchangePtr take(Exchange& exchange) {
    (exchange.previous_ != nullptr ? exchange.previous_->next_ : front_) = exchange.next_;
    (exchange.next_ != nullptr ? exchange.next_->previous_ : back_) = exchange.previous_;
    exchange.next_ = exchange.previous_ = nullptr;
    --size_;
    return ExchangePtr(&exchange, ExchangePool::GiveBack{&pool_});
  }

 private:
  ExchangePool& pool_;
  Exchange* front_ = nullptr;
  Exchange* back_ = nullptr;
  std::size_t size_ = 0;
};

/// The same exchanges by their deadlines, over all connections of a server. Owns nothing. They come
/// nearly sorted, so that adding looks at one or two neighbours.
class DeadlineList {
 public:
  Exchange* first() const { return first_; }

  void add(Exchange& exchange) {
    Exchange* before = last_;
    while (before != nullptr && before->deadline_ > exchange.deadline_) before = before->earlier_;
    exchange.earlier_ = before;
    exchange.later_ = before != nullptr ? before->later_ : first_;
    (exchange.later_ != nullptr ? exchange.later_->earlier_ : last_) = &exchange;
    (before != nullptr ? before->later_ : first_) = &exchange;
  }
  void remove(Exchange& exchange) {
    if (!holds(exchange)) return;
    (exchange.earlier_ != nullptr ? exchange.earlier_->later_ : first_) = exchange.later_;
    (exchange.later_ != nullptr ? exchange.later_->earlier_ : last_) = exchange.earlier_;
    exchange.earlier_ = exchange.later_ = nullptr;
  }
  bool holds(const Exchange& exchange) const {
    return exchange.earlier_ != nullptr || exchange.later_ != nullptr || first_ == &exchange;
  }

 private:
  Exchange* first_ = nullptr;
  Exchange* last_ = nullptr;
};

}  // namespace mcsteady::upstream
