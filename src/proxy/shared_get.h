#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/routing/route.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

class Coalescer;

/// One read that is asked once for all who wait for it. Those who come while it is under way do not
/// get its reply, which may be older than what they know to be written, whoever wrote it: they wait
/// for the next one, which leaves as soon as this one is over. So a server sees one at a time, and
/// each client reads what was there after it had asked.
/// Owner: Coalescer, which keeps it for reuse. Thread: its worker's.
class SharedGet final : private upstream::Exchange::Owner {
 public:
  explicit SharedGet(Coalescer& coalescer) : coalescer_(coalescer) {}

  /// Sends it. May end all this before it returns.
  void start(const routing::Route& route, upstream::ExchangePtr asked, std::string_view key,
             std::string_view bytes, std::size_t lane);
  /// Waits for the next one.
  void join(upstream::ExchangePtr asked, std::size_t lane);
  /// A client is about to send what may change the item: what it has asked before goes to the
  /// server by its own lane, ahead of that.
  void let_go(std::size_t lane);

  bool is_for(const routing::Route& route, std::string_view command) const {
    return route_ == &route && command_ == command;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  struct Member {
    upstream::ExchangePtr asked;
    std::size_t lane = 0;
  };

  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;

  void send();
  void send_alone(Member member);
  void ask_for_the_waiting();
  void keep_one();
  void end_round();

  Coalescer& coalescer_;
  const routing::Route* route_ = nullptr;
  std::string command_, key_, bytes_;
  std::vector<Member> members_;  // of the one under way, first come first
  std::vector<Member> waiting_;  // for the next one
  bool reply_begun_ = false;     // the members have had a part of it, or are having it
  bool is_sending_ = false;
};

}  // namespace mcsteady::proxy
