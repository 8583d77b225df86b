#include "upstream/probe.h"

#include <cstring>

namespace mcsteady::upstream {

namespace {
constexpr std::string_view kProbe = "version\r\n";
constexpr std::string_view kFlush = "flush_all\r\n";
}  // namespace

Probe::Probe(const ServerOptions& options, const Context& context, ServerMetrics& metrics,
             SharedServer& shared)
    : options_(options), context_(context), metrics_(metrics), shared_(shared) {
  timer_ = context_.loop.make_timer([this](TimePoint) { start(); });
}

void Probe::schedule(TimePoint at) {
  timer_->set(at);
}

void Probe::start() {
  metrics_.probes.add();
  attempt_ = std::make_unique<Attempt>(options_, context_, static_cast<ConnectionHost&>(*this));
  attempt_->connection.open(shared_.address());
  submit(protocol::Verb::Version, kProbe);
}

void Probe::submit(protocol::Verb verb, std::string_view command) {
  ExchangePtr exchange = context_.exchanges.make();
  exchange->owner = this;
  exchange->verb = verb;
  exchange->shape = protocol::ReplyShape::Line;
  exchange->head = context_.blocks.allocate_always(command.size());
  exchange->head_size = command.size();
  std::memcpy(exchange->head.data(), command.data(), command.size());
  exchange->started = context_.loop.now();
  attempt_->connection.submit(std::move(exchange));
}

void Probe::on_line(Exchange& exchange, const protocol::ReplyLine& line) {
  const bool is_flush = exchange.verb == protocol::Verb::FlushAll;
  const bool is_good =
      line.code == (is_flush ? protocol::ReplyCode::Ok : protocol::ReplyCode::Version);
  // What it held when it went down may be older than what was written elsewhere since.
  if (is_good && !is_flush && options_.health.flush_on_return) {
    return submit(protocol::Verb::FlushAll, kFlush);
  }
  attempt_->connection.close_when_done();
  // A server at its connection limit says ERROR and hangs up: it is not back.
  if (!is_good) return schedule_again(Failure::BadReply);
  shared_.on_probe_answered();
}

void Probe::on_failed(Exchange&, Failure failure) {
  attempt_->connection.abort(failure);
  schedule_again(failure);
}

void Probe::schedule_again(Failure failure) {
  metrics_.probes_failed.add();
  const auto at = shared_.on_probe_failed(failure, context_.loop.now());
  if (at) schedule(*at);
}

/// A fresh connection has not been idle, so what was on it was not sent: as good as lost.
void Probe::send_again(ExchangePtr exchange) {
  on_failed(*exchange, Failure::ConnectionLost);
}

}  // namespace mcsteady::upstream
