#pragma once

#include <memory>

#include "upstream/connection.h"

namespace mcsteady::upstream {

/// Finds out, off the path of any request, whether a server that is down answers again: one
/// `version` on a connection of its own. Lives on the worker that took the server down.
/// Owner: Server. Thread: its worker's.
class Probe final : private ConnectionHost, private Exchange::Owner, private net::Task {
 public:
  Probe(const ServerOptions& options, const Context& context, ServerMetrics& metrics,
        SharedServer& shared);
  ~Probe() override = default;

  void schedule(TimePoint at);
  /// It is to begin; one that is under way is not.
  bool is_scheduled() const { return timer_->is_set(); }

 private:
  /// Counts apart: what a probe asks is no request, and its failure none of a request's.
  struct Attempt {
    Attempt(const ServerOptions& options, const Context& context, ConnectionHost& host)
        : connection(options, context, metrics, deadlines, host) {}
    ServerMetrics metrics;
    DeadlineList deadlines;  // none: connect and response timeouts bound a probe
    Connection connection;
  };

  void start();
  void submit(protocol::Verb verb, std::string_view command);
  void schedule_again(Failure failure);

  void on_item(Exchange&, Item&&) override {}
  void on_line(Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(Exchange& exchange, Failure failure) override;

  void on_answered() override {}                 // told by on_line, which has seen the words
  void on_incident(const Incident&) override {}  // a failed probe is no incident of its own
  void on_excused_wait(TimeoutVerdict, const TimeoutEvidence&) override {}
  void on_retired(Connection&) override {}
  void on_closed(Connection&) override { context_.loop.at_turn_end(*this); }
  void send_again(ExchangePtr exchange) override;
  void run() override { attempt_.reset(); }  // at the turn's end

  const ServerOptions& options_;
  const Context context_;
  ServerMetrics& metrics_;
  SharedServer& shared_;
  std::unique_ptr<net::Timer> timer_;
  std::unique_ptr<Attempt> attempt_;
};

}  // namespace mcsteady::upstream
