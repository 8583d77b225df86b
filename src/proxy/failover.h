#pragma once

#include <string>
#include <string_view>

#include "mcsteady/routing/route.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

class Router;

/// A request on its way through a failover: asked of one route after the other, until one answers.
/// To its owner it looks like one exchange with one server.
/// Owner: Router, which keeps it for reuse. Thread: its worker's.
class Failover final : private upstream::Exchange::Owner {
 public:
  explicit Failover(Router& router) : router_(router) {}

  /// `key` as written, `bytes` as it is meant; `first`: the child that is asked first; see
  /// Router::submit for when the owner is told.
  void start(const routing::Route& route, upstream::ExchangePtr asked, std::string_view key,
             std::string_view bytes, std::size_t lane, std::size_t first = 0);

 private:
  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;

  bool may_go_on() const;
  std::size_t last_child() const { return (first_ + next_ - 1) % route_->children.size(); }
  void note_answer(bool answered);
  /// May end all this before it returns.
  void ask_next();
  upstream::Exchange::Owner* take_owner() { return std::exchange(asked_->owner, nullptr); }
  void end();

  Router& router_;
  const routing::Route* route_ = nullptr;
  upstream::ExchangePtr asked_{nullptr, {}};  // what the owner knows; it is never sent itself
  std::string key_, bytes_;
  std::size_t lane_ = 0;
  std::size_t first_ = 0;     // child that was asked first
  std::size_t next_ = 0;      // how many have been asked
  TimePoint asked_at_{};      // when the last was asked
  bool reply_begun_ = false;  // the owner has had a part of it: no going on
};

}  // namespace mcsteady::proxy
