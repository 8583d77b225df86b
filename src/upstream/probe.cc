#include "upstream/probe.h"

#include <cstring>

namespace mcsteady::upstream {

namespace {
constexpr std::string_view kCommand = "version\r\n";
}

Probe::Probe(const ServerOptions& options, const Context& context, ServerMetrics& metrics,
             SharedServer& shared)
    : options_(options), context_(context), metrics_(metrics), shared_(shared) {
  timer_ = context_.loop.make_timer([this](TimePoint) { start(); });
}

void Probe::schedule(TimePoint at) {
  timer_->set(at);
}

void Probe::start() {
  ExchangePtr exchange = context_.exchanges.make();
  exchange->owner = this;
  exchange->verb = protocol::Verb::Version;
  exchange->shape = protocol::ReplyShape::Line;
  exchange->head = context_.blocks.allocate_always(kCommand.size());
  exchange->head_size = kCommand.size();
  std::memcpy(exchange->head.data(), kCommand.data(), kCommand.size());
  exchange->started = context_.loop.now();
  metrics_.probes.add();
  connection_ = std::make_unique<Connection>(options_, context_, metrics_, deadlines_,
                                             static_cast<ConnectionHost&>(*this));
  connection_->open(shared_.address());
  connection_->submit(std::move(exchange));
}

void Probe::on_line(Exchange&, const protocol::ReplyLine& line) {
  connection_->close_when_done();
  // A server at its connection limit says ERROR and hangs up: it is not back.
  if (line.code != protocol::ReplyCode::Version) {
    return schedule_again(Failure::BadReply);
  }
  shared_.on_probe_answered();
}

void Probe::on_failed(Exchange&, Failure failure) {
  connection_->abort(failure);
  schedule_again(failure);
}

void Probe::schedule_again(Failure failure) {
  const auto at = shared_.on_probe_failed(failure, context_.loop.now());
  if (at) schedule(*at);
}

/// A fresh connection has not been idle, so what was on it was not sent: as good as lost.
void Probe::send_again(ExchangePtr exchange) {
  on_failed(*exchange, Failure::ConnectionLost);
}

}  // namespace mcsteady::upstream
