#include "support/sim_connection.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace mcsteady::test {

namespace {

/// Linux waits 200 ms at least, and twice as long each time.
std::uint32_t retransmits_after(Duration lost_for) {
  const auto periods = static_cast<std::uint64_t>(lost_for / std::chrono::milliseconds(200));
  return static_cast<std::uint32_t>(std::bit_width(periods));
}

}  // namespace

SimConnection::SimConnection(std::uint64_t id, std::string key, const PathConditions& path,
                             TimePoint now, Rng& rng)
    : id_(id),
      key_(std::move(key)),
      path_(path),
      to_server_(path.to_server, rng.fork()),
      to_client_(path.to_client, rng.fork()),
      syn_arrives_(now + path.connect_delay / 2),
      settles_at_(now + path.connect_delay) {}

std::optional<TimePoint> SimConnection::syn_arrives() const {
  if (phase_ != Phase::SynSent || to_server_.held()) return std::nullopt;
  return syn_arrives_;
}

void SimConnection::establish() {
  phase_ = Phase::Established;
}

void SimConnection::fail(net::Breakage failure, TimePoint at) {
  phase_ = Phase::Failed;
  failure_ = failure;
  settles_at_ = std::max(settles_at_, at);
  server_gone_ = true;
}

void SimConnection::retry_syn(TimePoint at) {
  syn_arrives_ = at;
  settles_at_ = at + path_.connect_delay / 2;
}

void SimConnection::arrive(TimePoint now) {
  for (const Side side : {Side::Client, Side::Server}) {
    incoming(side).arrive(now);
    if (incoming(side).broke_with_reset()) outgoing(side).finish(LinkEnd::Reset, now);
    answer_the_dead(side, now);
  }
}

void SimConnection::answer_the_dead(Side side, TimePoint now) {
  if (!incoming(side).found_nobody()) return;
  incoming(side).discard_unread();
  outgoing(side).finish(LinkEnd::Reset, now);
}

std::optional<TimePoint> SimConnection::next_happening(TimePoint now) const {
  std::optional<TimePoint> earliest;
  const auto consider = [&earliest](std::optional<TimePoint> at) {
    if (at && (!earliest || *at < *earliest)) earliest = at;
  };
  consider(syn_arrives());
  consider(to_server_.next_arrival());
  consider(to_client_.next_arrival());
  const bool outcome_is_due = phase_ == Phase::Established || phase_ == Phase::Failed;
  if (outcome_is_due && settles_at_ > now && !client_gone_) consider(settles_at_);
  return earliest;
}

void SimConnection::close(Side side, TimePoint now) {
  const bool unread = !incoming(side).unread().empty();
  outgoing(side).finish(unread ? LinkEnd::Reset : LinkEnd::Fin, now);
  incoming(side).discard_unread();
  incoming(side).abandon();
  (side == Side::Client ? client_gone_ : server_gone_) = true;
}

void SimConnection::reset(Side side, TimePoint now) {
  outgoing(side).finish(LinkEnd::Reset, now);
  close(side, now);
}

void SimConnection::hold(bool on) {
  to_server_.hold(on);
  to_client_.hold(on);
}

bool SimConnection::is_over() const {
  const bool server_never_knew = phase_ != Phase::Established;
  if (client_gone_ && server_never_knew) return true;
  return client_gone_ && server_gone_ && to_server_.idle() && to_client_.idle();
}

net::TransportEvidence SimConnection::evidence(Side side, TimePoint now) const {
  const SimLink& out = link(side);
  const SimLink& in = link(other(side));
  net::TransportEvidence seen;
  seen.bytes_unread = in.unread().size();
  seen.bytes_unsent = out.in_flight();
  if (is_unix()) return seen;
  net::TcpEvidence tcp;
  tcp.segments_unacked = static_cast<std::uint32_t>(out.chunks_in_flight());
  if (out.held() && out.oldest_sent_at()) {
    tcp.retransmits = retransmits_after(now - *out.oldest_sent_at());
  }
  tcp.retransmits_total = tcp.retransmits;
  tcp.rtt = std::chrono::duration_cast<std::chrono::microseconds>(path_.to_server.delay_min +
                                                                  path_.to_client.delay_min);
  tcp.since_last_receive =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - in.last_arrival());
  seen.tcp = tcp;
  return seen;
}

}  // namespace mcsteady::test
