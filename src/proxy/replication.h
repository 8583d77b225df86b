#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/routing/route.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

class Router;

/// A request that several routes get at once, of which the client is told one reply. To its owner
/// it looks like one exchange with one server. Reads are answered by the first hit, and by a miss
/// once nobody has one; all else by RouteOptions::Answer.
/// Owner: Router, which keeps it for reuse. Thread: its worker's.
class Replication final : private upstream::Exchange::Owner {
 public:
  explicit Replication(Router& router) : router_(router) {}

  /// See Failover::start().
  void start(const routing::Route& route, upstream::ExchangePtr asked, std::string_view key,
             std::string_view bytes, std::size_t lane);

 private:
  /// What one child said, once it did.
  struct Outcome {
    enum class State { Waiting, Line, Failed } state = State::Waiting;
    protocol::ReplyCode code{};
    std::string line;
    upstream::Failure failure{};
    std::string server;
    protocol::DownPolicy on_down{};
  };

  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;

  bool is_read() const;
  void on_outcome();
  /// Who is to be told, if that is known by now; else null.
  const Outcome* decide() const;
  const Outcome* decide_read() const;
  const Outcome* majority() const;
  const Outcome& worst() const;
  void tell(const Outcome& outcome);
  upstream::Exchange::Owner* take_owner() { return std::exchange(asked_->owner, nullptr); }
  bool is_told() const { return !asked_; }
  void end_if_done();

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Router& router_;
  const routing::Route* route_ = nullptr;
  upstream::ExchangePtr asked_{nullptr, {}};  // what the owner knows; null: the owner has been told
  std::vector<Outcome> outcomes_;             // by child
  std::size_t waiting_ = 0;                   // for so many of them
  std::size_t streaming_ = kNone;             // the child whose items the owner gets
  bool is_starting_ = false;
};

}  // namespace mcsteady::proxy
