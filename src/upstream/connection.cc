#include "upstream/connection.h"

#include <algorithm>
#include <cassert>

#include "upstream/meta_echo.h"
#include "upstream/shared_line.h"

namespace mcsteady::upstream {

namespace {
// Fresh waits granted without a byte coming in: a host that stalls for ever must not keep a dead
// server for ever.
constexpr int kGrantsMax = 4;

// What memcached says, unasked, on a connection over its limit, before it hangs up.
constexpr std::string_view kTooManyConnections = "ERROR Too many open connections";

// What ends the reply of one who shares a line with others, for whom there is more.
constexpr protocol::ReplyLine kEnd{
    .code = protocol::ReplyCode::End, .line = "END\r\n", .key = {}, .value_size = {}};

/// What is owed at retirement may use its own wait, which may have begun just before.
LateBounds bounds_for(const ServerOptions& options) {
  LateBounds bounds;
  bounds.time_max = std::max(bounds.time_max, 2 * options.response_timeout);
  return bounds;
}

Failure failure_of(TimeoutVerdict verdict) {
  return verdict == TimeoutVerdict::NetworkLost ? Failure::NetworkLost : Failure::ServerLate;
}
}  // namespace

Connection::Connection(const ServerOptions& options, const Context& context, ServerMetrics& metrics,
                       DeadlineList& deadlines, ConnectionHost& host)
    : options_(options),
      context_(context),
      metrics_(metrics),
      deadlines_(deadlines),
      host_(host),
      reader_(context.blocks, options.value_max),
      queue_(context.exchanges),
      late_(bounds_for(options)) {
  timer_ = context_.loop.make_timer([this](TimePoint due) { on_timer(due); });
}

Connection::~Connection() {
  while (Exchange* exchange = queue_.front()) take(*exchange);
}

void Connection::open(const std::optional<net::Address>& address) {
  metrics_.connections.add(1);
  metrics_.connections_opened.add();
  opened_at_ = context_.loop.now();
  address_ = address;
  timer_->set(address ? opened_at_ + options_.connect_timeout : opened_at_);
  if (!address) return;
  net::Stream::Handler& handler = *this;
  stream_ = options_.tls
                ? options_.tls->connect(context_.loop, *address, options_.endpoint.host, handler)
                : context_.loop.connect(*address, handler);
}

void Connection::submit(ExchangePtr exchange) {
  assert(takes_exchanges());
  exchange->connection_ = this;
  if (next_to_send_ == nullptr) {
    next_to_send_ = exchange.get();
    unsent_since_ = context_.loop.now();
  }
  queue_.push_back(std::move(exchange));
  metrics_.requests.add();
  metrics_.owed.add(1);
  context_.beat.wake();
  if (state_ != State::Open) return;
  // While it has others to answer, what comes in the next turns can go with this one.
  if (context_.exchanges.in_use() > 1) {
    stream_->flush_later();
  } else {
    stream_->flush();
  }
  if (!timer_->is_set()) timer_->set(context_.loop.now() + options_.response_timeout);
}

bool Connection::holds_lane(std::size_t lane) const {
  for (const Exchange* e = queue_.front(); e != nullptr; e = ExchangeList::after(*e)) {
    if (e->lane_ == lane) return true;
  }
  return false;
}

// ---- sending

void Connection::on_connected() {
  if (state_ != State::Connecting) return;
  state_ = State::Open;
  last_out_ = last_in_ = context_.loop.now();
  timer_->clear();
  if (queue_.empty()) return;
  stream_->flush();
  arm_for_next(last_out_);
}

std::size_t Connection::pieces(std::span<iovec> out) {
  std::size_t count = 0;
  std::size_t skip = send_offset_;  // bytes of the first exchange that have gone
  const auto add = [&](const char* data, std::size_t size) {
    // The kernel reads from it only.
    if (skip < size && count < out.size()) {
      out[count++] = {const_cast<char*>(data) + skip, size - skip};
    }
    skip = skip > size ? skip - size : 0;
  };
  // To the last place: a stream that finds one empty takes it that there is no more to send.
  for (Exchange* e = next_to_send_; e != nullptr && count < out.size();
       e = ExchangeList::after(*e)) {
    if (options_.gather_gets && !e->offered_) SharedLine::offer(*e);
    const std::string_view head = SharedLine::wire_head(*e);
    add(head.data(), head.size());
    add(e->body.data(), e->body_size);
  }
  return count;
}

void Connection::on_sent(std::size_t count) {
  last_out_ = context_.loop.now();
  metrics_.bytes_sent.add(count);
  while (count > 0) {
    Exchange& exchange = *next_to_send_;
    const std::size_t size = SharedLine::wire_size(exchange);
    const std::size_t part = std::min(count, size - send_offset_);
    exchange.touched_ = true;
    send_offset_ += part;
    count -= part;
    if (send_offset_ < size) return;
    exchange.sent_ = true;
    exchange.sent_at_ = last_out_;
    next_to_send_ = ExchangeList::after(exchange);
    send_offset_ = 0;
    if (exchange.replied_) take(exchange);
  }
  close_if_done();
}

// ---- receiving

void Connection::on_received(std::size_t count) {
  last_in_ = context_.loop.now();
  received_ += count;
  grants_ = 0;
  heard_since_idle_ = true;
  metrics_.bytes_received.add(count);
  reader_.received(count);
  take_replies();
  if (state_ == State::Closed) return;
  if (next_to_send_ != nullptr) stream_->flush();
  reader_.release_idle();
  if (state_ == State::Retired && late_.exceeded(last_in_, queue_.size())) {
    return abort(Failure::ServerLate);
  }
  close_if_done();
}

void Connection::on_progress(std::size_t count) {
  last_in_ = context_.loop.now();
  received_ += count;
  grants_ = 0;
}

void Connection::take_replies() {
  while (state_ != State::Closed) {
    Exchange* head = queue_.front();
    const bool owed = head != nullptr && head->touched_ && !head->replied_;
    if (!owed) {
      if (reader_.empty()) return;
      if (!answered_ && reader_.begins_with(kTooManyConnections)) {
        return on_connect_failed(Failure::ServerFull, 0);
      }
      metrics_.stray_bytes.add();
      return on_out_of_step(Failure::BadReply);
    }
    auto event = reader_.next(head->shape, SharedLine::is_wanted(*head));
    if (!event) return on_out_of_step(Failure::BadReply);
    if (state_ == State::Retired) late_.on_dropped(event->skipped);
    if (event->kind == RecoveryReader::Event::Kind::NeedMore) return;
    on_event(*head, std::move(*event));
  }
}

void Connection::on_event(Exchange& head, RecoveryReader::Event&& event) {
  using Kind = RecoveryReader::Event::Kind;
  switch (event.kind) {
    case Kind::NeedMore:
    case Kind::Skipped:
      if (event.item.line.last) finish_reply(head);
      return;
    case Kind::Line:
      return on_line(head, event.item.line);
    case Kind::Item:
    case Kind::Refused:
      return on_item(head, std::move(event));
  }
}

/// It ends what all who share the command's line are owed.
void Connection::on_line(Exchange& head, const protocol::ReplyLine& line) {
  if (turned_away(head, line.line)) return on_connect_failed(Failure::ServerFull, 0);
  for (bool more = true; more && state_ != State::Closed;) {
    Exchange& front = *queue_.front();
    if (!front.touched_) return on_out_of_step(Failure::BadReply);
    if (!may_answer(front.command(), line)) return on_out_of_step(Failure::BadReply);
    more = SharedLine::goes_on(front);
    if (front.given_up()) {
      if (state_ == State::Retired) late_.on_dropped(line.line.size());
    } else {
      front.owner->on_line(front, line);
    }
    finish_reply(front);
  }
}

/// Items come in the order of the keys in the command. One with a key that is not among those left
/// belongs to another request: every reply behind it would, too.
void Connection::on_item(Exchange& head, RecoveryReader::Event&& event) {
  Exchange* target = &head;
  if (head.shape == protocol::ReplyShape::Items) {
    target = SharedLine::who_asked(head, event.item.line.key);
    if (target == nullptr) return on_out_of_step(Failure::BadReply);
    while (queue_.front() != target) {
      Exchange& done = *queue_.front();
      if (!done.given_up()) done.owner->on_line(done, kEnd);
      finish_reply(done);
    }
  } else if (!may_answer(head.command(), event.item.line)) {
    return on_out_of_step(Failure::BadReply);
  }
  target->reply_begun_ = true;
  if (event.kind == RecoveryReader::Event::Kind::Refused) return fail(*target, event.failure);
  host_.on_value(*target, event.item);
  const bool last = event.item.line.last;
  if (target->given_up()) {
    if (state_ == State::Retired) late_.on_dropped(event.item.wire.size());
  } else {
    target->owner->on_item(*target, std::move(event.item));
  }
  if (last) finish_reply(*target);
}

/// memcached at its connection limit: the line is no reply, and answers nothing.
bool Connection::turned_away(const Exchange& head, std::string_view line) const {
  return !answered_ && !head.reply_begun_ && line.starts_with(kTooManyConnections);
}

void Connection::finish_reply(Exchange& head) {
  answered_ = true;
  const bool in_time = !head.late_ && !head.expired_;
  if (in_time) {
    host_.on_answered();
    if (head.sent_) metrics_.response_time.record(last_in_ - head.sent_at_);
    (head.given_up() ? metrics_.unwanted_replies_dropped : metrics_.answered).add();
  } else {
    metrics_.late_replies_dropped.add();
  }
  head.owner = nullptr;
  deadlines_.remove(head);
  // A server may refuse a large set before it has read all of it; the rest must still go out.
  if (head.sent_) {
    take(head);
  } else {
    head.replied_ = true;
  }
}

ExchangePtr Connection::take(Exchange& exchange) {
  if (next_to_send_ == &exchange) {
    next_to_send_ = ExchangeList::after(exchange);
    send_offset_ = 0;
  }
  deadlines_.remove(exchange);
  exchange.connection_ = nullptr;
  SharedLine::leave(exchange);
  ExchangePtr taken = queue_.take(exchange);
  metrics_.owed.add(-1);
  if (queue_.empty()) heard_since_idle_ = false;
  return taken;
}

void Connection::fail(Exchange& exchange, Failure failure) {
  deadlines_.remove(exchange);
  if (exchange.given_up()) return;
  metrics_.failures[static_cast<std::size_t>(failure)].add();
  std::exchange(exchange.owner, nullptr)->on_failed(exchange, failure);
}

void Connection::fail_all(Failure failure) {
  while (Exchange* exchange = queue_.front()) {
    const ExchangePtr taken = take(*exchange);
    fail(*taken, failure);
  }
}

// ---- waiting

void Connection::on_timer(TimePoint due) {
  const TimePoint now = context_.loop.now();
  if (state_ == State::Connecting) return on_connect_timeout(due, now);
  if (state_ == State::Closed) return;
  if (state_ == State::Retired && late_.exceeded(now, queue_.size())) {
    return abort(Failure::ServerLate);
  }
  Exchange* head = first_waiting();
  if (head != nullptr && now >= wait_end(*head)) return on_wait_over(*head, due, now);
  arm_for_next(now);
}

void Connection::on_connect_timeout(TimePoint due, TimePoint now) {
  if (!stream_) return on_connect_failed(Failure::ConnectFailed, 0);
  if (options_.timeout_recovery) {
    stream_->look();  // it may be there, and the loop has not come to say so
    if (state_ == State::Open) metrics_.timeouts_recovered.add();
    if (state_ != State::Connecting) return;
  }
  const bool we_stalled = now - due >= options_.stall_min;
  if (options_.timeout_recovery && we_stalled && grants_++ < kGrantsMax) {
    metrics_.waits_granted.add();
    timer_->set(now + options_.connect_timeout);
    return;
  }
  const bool in_handshake = stream_->evidence().in_handshake;
  on_connect_failed(in_handshake ? Failure::TlsTimeout : Failure::ConnectTimeout, 0);
}

Exchange* Connection::first_waiting() const {
  Exchange* exchange = queue_.front();
  while (exchange != nullptr && (exchange->late_ || exchange->replied_)) {
    exchange = ExchangeList::after(*exchange);
  }
  return exchange;
}

TimePoint Connection::wait_begin(const Exchange& exchange) const {
  const TimePoint out = exchange.sent_ ? exchange.sent_at_ : std::max(last_out_, unsent_since_);
  return std::max({out, last_in_, granted_at_});
}

void Connection::on_wait_over(Exchange& head, TimePoint due, TimePoint now) {
  const TimePoint began = wait_begin(head);
  TimeoutEvidence evidence{.timer_late_by = now - due,
                           .stalled = context_.beat.watch().stalled(began, now),
                           .found_unread = {},
                           .output_unsent = {},
                           .transport = {}};
  if (options_.timeout_recovery && recover(head, evidence, now)) return;
  time_out(began, now, evidence);
}

/// True: this is no timeout. The reply was there, or the connection's end was, or we stalled.
bool Connection::recover(const Exchange& head, TimeoutEvidence& evidence, TimePoint now) {
  const std::uint64_t received_before = received_;
  look();
  evidence.found_unread = ByteCount{received_ - received_before};
  if (state_ == State::Closed) {
    if (received_ != received_before) metrics_.timeouts_recovered.add();
    return true;
  }
  if (next_to_send_ == &head) {
    evidence.output_unsent = ByteCount{SharedLine::wire_size(head) - send_offset_};
  }
  if (received_ == received_before) evidence.transport = stream_->evidence();
  switch (judge(evidence, options_.stall_min)) {
    case TimeoutVerdict::Recovered:
      metrics_.timeouts_recovered.add();
      host_.on_excused_wait(TimeoutVerdict::Recovered, evidence);
      arm_for_next(context_.loop.now());
      return true;
    case TimeoutVerdict::WeStalled:
      if (grants_ >= kGrantsMax) return false;
      ++grants_;
      granted_at_ = now;
      metrics_.waits_granted.add();
      host_.on_excused_wait(TimeoutVerdict::WeStalled, evidence);
      arm_for_next(now);
      return true;
    case TimeoutVerdict::NetworkLost:
    case TimeoutVerdict::ServerLate:
      return false;
  }
  return false;
}

void Connection::time_out(TimePoint began, TimePoint now, const TimeoutEvidence& evidence) {
  TimeoutEvidence without_stall = evidence;
  without_stall.timer_late_by = without_stall.stalled = Duration{0};
  const Failure cause = failure_of(judge(without_stall, options_.stall_min));
  if (state_ == State::Open) {
    report(cause, began, 0, evidence);
    retire();
  }
  // All that waited as long have waited in vain.
  while (Exchange* head = first_waiting()) {
    if (now < wait_end(*head)) break;
    head->late_ = true;
    fail(*head, cause);
  }
  if (state_ == State::Closed) return;
  arm_for_next(now);
  close_if_done();
}

/// The timer is set lazily: it stays set while waits begin and end, and when it fires it is set
/// again for the wait that is on then. So a request costs no timer operation.
void Connection::arm_for_next(TimePoint now) {
  const Exchange* head = first_waiting();
  if (head != nullptr) {
    const TimePoint end = wait_end(*head);
    timer_->set(state_ == State::Retired ? std::min(end, late_.ends_at()) : end);
  } else if (state_ == State::Retired) {
    timer_->set(std::max(late_.ends_at(), now));
  } else {
    timer_->clear();
  }
}

void Connection::look() {
  if (state_ == State::Open || state_ == State::Retired) stream_->look();
}

void Connection::on_given_up(Exchange& exchange) {
  if (!SharedLine::may_leave(exchange) || state_ == State::Closed) return;
  take(exchange);
  close_if_done();
}

void Connection::expire(Exchange& exchange) {
  if (SharedLine::may_leave(exchange)) {
    take(exchange);
    return close_if_done();
  }
  exchange.expired_ = true;
  exchange.owner = nullptr;
}

}  // namespace mcsteady::upstream
