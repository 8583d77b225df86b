#pragma once

#include <memory>
#include <optional>

#include "mcsteady/net/event_loop.h"
#include "mcsteady/upstream/context.h"
#include "mcsteady/upstream/exchange.h"
#include "mcsteady/upstream/late_ledger.h"
#include "mcsteady/upstream/options.h"
#include "mcsteady/upstream/server_metrics.h"
#include "mcsteady/upstream/shared_server.h"
#include "upstream/exchange_list.h"
#include "upstream/recovery_reader.h"

namespace mcsteady::upstream {

class Connection;

/// What a connection tells its server. Calls may come from within any of the connection's
/// functions; none may destroy the connection before the turn ends.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual void on_answered() = 0;
  /// A value came, whole, in reply to `exchange`.
  virtual void on_value(const Exchange& /*exchange*/, const Item& /*item*/) {}
  virtual void on_incident(const Incident& incident) = 0;
  /// A wait ran out and was none of the server's doing: the reply was there, or we had stalled.
  virtual void on_excused_wait(TimeoutVerdict verdict, const TimeoutEvidence& evidence) = 0;
  /// It takes no new exchange from here on.
  virtual void on_retired(Connection& connection) = 0;
  /// It is closed and owes nothing: destroy it when the turn is over.
  virtual void on_closed(Connection& connection) = 0;
  /// Send this on another connection: this one did not, or may safely not have.
  virtual void send_again(ExchangePtr exchange) = 0;
};

/// One connection to a server, shared by all clients of a worker: exchanges go out in the order
/// of submit(), and replies come back in that order.
///
///   Connecting --> Open --(a real timeout)--> Retired --(owes nothing, or a bound)--> Closed
///        \________________________________________________________________________-> Closed
///
/// One that drains, because its server left or moved, goes on as it is, waits and all, but takes no
/// new exchange, closes when it has none left, and its incidents say nothing of what came after it.
///
/// A wait is the time an exchange's reply lets wait for its next byte: from when its own last byte
/// went out, or the last byte came in, whichever is later. (Bytes of later exchanges going out do
/// not prolong it: a silent server would never time out under load.) When a wait runs out, the
/// socket is looked at before anything is concluded, and judge() decides (timeout_judge.h).
///
/// Owner: Server. Thread: its worker's.
class Connection final : private net::Stream::Handler {
 public:
  enum class State { Connecting, Open, Retired, Closed };

  Connection(const ServerOptions& options, const Context& context, ServerMetrics& metrics,
             DeadlineList& deadlines, ConnectionHost& host);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Starts to connect; without an address (the name did not resolve) it fails in a later turn.
  void open(const std::optional<net::Address>& address);
  void submit(ExchangePtr exchange);
  /// Takes no new exchange; what has not been sent goes to another connection, what is owed may
  /// still come; closes once it owes nothing, or when a bound of the ledger is passed.
  void retire();
  /// The same for a connection that has done its work.
  void close_when_done();
  /// Takes no new exchange; finishes what it has and closes.
  void drain();
  /// The same, but what has not been sent goes to another connection: this one's address is the
  /// server's no more.
  void drain_sent();
  /// Fails what it still has with `failure`, without an incident, and closes.
  void abort(Failure failure);
  /// Looks at the socket for what may have come (net::Stream::look).
  void look();
  /// Nobody wants the exchange any more. Destroys it where nothing of it has been sent.
  void on_given_up(Exchange& exchange);
  /// The exchange's deadline has passed and its owner has been told: not sent if it still need not
  /// be, else its reply is dropped when it comes.
  void expire(Exchange& exchange);

  State state() const { return state_; }
  bool takes_exchanges() const { return is_in_use() && !draining_; }
  const std::optional<net::Address>& address() const { return address_; }
  std::size_t owed() const { return queue_.size(); }
  /// Whether an exchange of that lane is here, sent or not. O(owed()).
  bool holds_lane(std::size_t lane) const;

 private:
  // net::Stream::Handler
  void on_connected() override;
  std::span<char> room() override { return reader_.room(); }
  void on_received(std::size_t count) override;
  void on_progress(std::size_t count) override;
  void on_end_of_file() override { on_lost(0); }
  std::size_t pieces(std::span<iovec> out) override;
  void on_sent(std::size_t count) override;
  void on_broken(net::Breakage breakage) override;

  void take_replies();
  void on_event(Exchange& head, RecoveryReader::Event&& event);
  bool turned_away(const Exchange& head, std::string_view line) const;
  void on_line(Exchange& head, const protocol::ReplyLine& line);
  void on_item(Exchange& head, RecoveryReader::Event&& event);
  void finish_reply(Exchange& head);
  ExchangePtr take(Exchange& exchange);
  void fail(Exchange& exchange, Failure failure);
  void fail_all(Failure failure);

  void on_timer(TimePoint due);
  void on_connect_timeout(TimePoint due, TimePoint now);
  Exchange* first_waiting() const;
  TimePoint wait_begin(const Exchange& exchange) const;
  TimePoint wait_end(const Exchange& exchange) const {
    return wait_begin(exchange) + options_.response_timeout;
  }
  void on_wait_over(Exchange& head, TimePoint due, TimePoint now);
  bool recover(const Exchange& head, TimeoutEvidence& evidence, TimePoint now);
  void time_out(TimePoint began, TimePoint now, const TimeoutEvidence& evidence);
  void arm_for_next(TimePoint now);

  void on_lost(int error_number);
  void on_connect_failed(Failure failure, int error_number, const std::string& reason = {});
  void on_out_of_step(Failure failure);
  bool is_in_use() const { return state_ == State::Connecting || state_ == State::Open; }
  void hand_over_unsent();
  void close();
  void close_if_done();
  void report(Failure cause, TimePoint began, int error_number = 0,
              const std::optional<TimeoutEvidence>& timeout = std::nullopt,
              const std::string& reason = {});

  const ServerOptions& options_;
  const Context context_;
  ServerMetrics& metrics_;
  DeadlineList& deadlines_;
  ConnectionHost& host_;

  State state_ = State::Connecting;
  bool draining_ = false;
  std::optional<net::Address> address_;
  RecoveryReader reader_;
  ExchangeList queue_;                // in order: replied but unsent (one at most), owed, unsent
  Exchange* next_to_send_ = nullptr;  // the first that is not wholly sent
  std::size_t send_offset_ = 0;       // bytes of it that are
  TimePoint opened_at_{};
  TimePoint unsent_since_{};      // when the first of what is unsent came
  TimePoint last_in_{};           // when a byte last came in
  TimePoint last_out_{};          // when a byte last went out, or the connection opened
  TimePoint granted_at_{};        // when a fresh wait was last granted
  int grants_ = 0;                // since a byte last came in
  bool heard_since_idle_ = true;  // a byte came since the queue was last empty; a fresh one has
                                  // not been idle
  bool answered_ = false;         // a reply has been taken from it
  std::uint64_t received_ = 0;    // bytes, in all, of TLS those that carry none yet as well
  LateLedger late_;
  std::unique_ptr<net::Timer> timer_;  // connecting, then waiting; set lazily, see arm_for_next
  std::unique_ptr<net::Stream> stream_;
};

}  // namespace mcsteady::upstream
