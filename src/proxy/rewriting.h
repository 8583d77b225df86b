#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mcsteady/routing/route.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

class Router;

/// A request whose server is to see another key or another time to live than the client wrote. To
/// its owner it looks like one exchange with one server, which has the client's key.
/// Owner: Router, which keeps it for reuse. Thread: its worker's.
class Rewriting final : private upstream::Exchange::Owner {
 public:
  explicit Rewriting(Router& router) : router_(router) {}

  /// See Router::submit for when the owner is told.
  void start(const routing::Route& route, upstream::ExchangePtr asked, std::size_t lane);

 private:
  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;

  /// What is sent; null where the memory ceiling does not allow it.
  upstream::ExchangePtr compose(std::string_view line);
  void refuse_key();
  /// Puts the client's key into the item. False: there is no memory for that.
  bool restore(upstream::Item& item);
  void tell(const protocol::ReplyLine& line);
  upstream::Exchange::Owner* take_owner() { return std::exchange(asked_->owner, nullptr); }
  void end();

  Router& router_;
  const routing::Route* route_ = nullptr;
  upstream::ExchangePtr asked_{nullptr, {}};  // what the owner knows; it is never sent itself
  std::string text_;                          // of the line that the owner gets, and of small items
};

}  // namespace mcsteady::proxy
