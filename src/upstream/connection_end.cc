// How a connection ends: retired after a timeout, drained, lost, out of step; and where what it
// still has goes then.

#include "upstream/connection.h"
#include "upstream/shared_line.h"

namespace mcsteady::upstream {

namespace {
/// Unset: it is not about TLS.
std::optional<Failure> tls_failure_of(net::StreamError error) {
  switch (error) {
    case net::StreamError::TlsExpired:
      return Failure::TlsExpired;
    case net::StreamError::TlsUnknownCa:
      return Failure::TlsUnknownCa;
    case net::StreamError::TlsNameMismatch:
      return Failure::TlsNameMismatch;
    case net::StreamError::TlsTimeout:
      return Failure::TlsTimeout;
    case net::StreamError::TlsProtocol:
      return Failure::TlsProtocol;
    case net::StreamError::TlsNoSharedCipher:
      return Failure::TlsNoSharedCipher;
    case net::StreamError::TlsPeerClosed:
      return Failure::TlsPeerClosed;
    case net::StreamError::TlsCertificateRefused:
      return Failure::TlsCertificateRefused;
    case net::StreamError::TlsFailed:
      return Failure::TlsFailed;
    default:
      return std::nullopt;
  }
}
}  // namespace

void Connection::retire() {
  if (!is_in_use()) return;
  metrics_.connections_retired.add();
  close_when_done();
}

void Connection::drain() {
  if (!takes_exchanges()) return;
  draining_ = true;
  host_.on_retired(*this);
  close_if_done();
}

void Connection::drain_sent() {
  if (!takes_exchanges()) return;
  draining_ = true;
  host_.on_retired(*this);
  hand_over_unsent();
  close_if_done();
}

void Connection::close_when_done() {
  if (!is_in_use()) return;
  if (state_ == State::Connecting) return abort(Failure::ConnectionLost);
  state_ = State::Retired;
  const TimePoint now = context_.loop.now();
  late_.on_retired(now);
  host_.on_retired(*this);
  hand_over_unsent();
  if (late_.exceeded(now, queue_.size())) return abort(Failure::ServerLate);
  arm_for_next(now);
  close_if_done();
}

void Connection::hand_over_unsent() {
  for (;;) {
    Exchange* exchange = next_to_send_;
    while (exchange != nullptr && !SharedLine::may_leave(*exchange)) {
      exchange = ExchangeList::after(*exchange);
    }
    if (exchange == nullptr) return;
    const bool wanted = !exchange->given_up();
    ExchangePtr unsent = take(*exchange);
    if (wanted) host_.send_again(std::move(unsent));
  }
}

void Connection::on_broken(net::Breakage breakage) {
  if (breakage.kind == net::StreamError::OurShortage) return abort(Failure::OurShortage);
  // With TLS 1.3 a server refuses our certificate when the handshake is over for us.
  if (const auto failure = tls_failure_of(breakage.kind)) {
    return on_connect_failed(*failure, breakage.error_number, breakage.reason);
  }
  if (state_ == State::Connecting) {
    const bool refused = breakage.kind == net::StreamError::Refused;
    return on_connect_failed(refused ? Failure::ConnectRefused : Failure::ConnectFailed,
                             breakage.error_number);
  }
  on_lost(breakage.error_number);
}

void Connection::on_connect_failed(Failure failure, int error_number, const std::string& reason) {
  report(failure, opened_at_, error_number, std::nullopt, reason);
  abort(failure);
}

/// The server closed the connection, or the network did.
void Connection::on_lost(int error_number) {
  if (state_ == State::Connecting) {
    return on_connect_failed(Failure::ConnectFailed, error_number);
  }
  if (queue_.empty()) {
    metrics_.connections_closed_idle.add();
    return close();
  }
  // Nothing has come since the queue was empty: the server closed an idle connection, as
  // idle_timeout and restarts do, and our commands crossed its FIN.
  const bool closed_while_idle = !heard_since_idle_;
  const Incident seen{.cause = Failure::ConnectionLost,
                      .began = opened_at_,
                      .timeout = {},
                      .replies_owed = queue_.size(),
                      .bytes_unread = reader_.unread(),
                      .error_number = error_number,
                      .loop_lag = context_.beat.watch().last_lag()};
  const bool was_open = state_ == State::Open;
  close();
  while (Exchange* exchange = queue_.front()) {
    ExchangePtr taken = take(*exchange);
    if (taken->given_up()) continue;
    const bool not_executed = !taken->sent_ && !taken->reply_begun_ && !taken->replied_;
    const bool may_repeat = closed_while_idle && taken->idempotent && !taken->reply_begun_;
    if ((not_executed || may_repeat) && !taken->sent_again_ && !taken->late_) {
      taken->sent_again_ = true;
      host_.send_again(std::move(taken));
    } else {
      fail(*taken, Failure::ConnectionLost);
    }
  }
  if (was_open && !closed_while_idle && !draining_) host_.on_incident(seen);
}

/// What came is no reply to what was asked. All that is owed is lost, since there is no telling
/// what is whose; on a connection that owed nothing, nothing is.
void Connection::on_out_of_step(Failure failure) {
  const bool owed = !queue_.empty() && queue_.front()->touched_;
  if (owed && state_ == State::Open) report(failure, opened_at_);
  close();
  hand_over_unsent();
  fail_all(failure);
}

void Connection::abort(Failure failure) {
  if (state_ == State::Closed) return;
  close();
  fail_all(failure);
}

void Connection::close() {
  if (state_ == State::Closed) return;
  state_ = State::Closed;
  metrics_.connections.add(-1);
  timer_->clear();
  if (stream_) stream_->close();
  host_.on_closed(*this);
}

void Connection::close_if_done() {
  const bool ends = state_ == State::Retired || (draining_ && is_in_use());
  if (ends && queue_.empty()) close();
}

void Connection::report(Failure cause, TimePoint began, int error_number,
                        const std::optional<TimeoutEvidence>& timeout, const std::string& reason) {
  if (draining_) return;
  host_.on_incident(Incident{.cause = cause,
                             .began = began,
                             .timeout = timeout,
                             .replies_owed = queue_.size(),
                             .bytes_unread = reader_.unread(),
                             .error_number = error_number,
                             .loop_lag = context_.beat.watch().last_lag(),
                             .reason = reason});
}

}  // namespace mcsteady::upstream
