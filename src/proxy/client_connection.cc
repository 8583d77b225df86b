#include "proxy/client_connection.h"

#include <algorithm>
#include <cstring>

#include "mcsteady/protocol/authentication.h"
#include "proxy/fan_out_slot.h"
#include "proxy/retrieval_slot.h"
#include "proxy/single_slot.h"

namespace mcsteady::proxy {

namespace {
using protocol::Parsed;
using protocol::Request;
using protocol::Verb;

// What is asked for in one go while nothing is known of anyone's items: by all together, but by
// each some. And at the most.
constexpr std::size_t kItemsUnknown = 64;
constexpr std::size_t kItemsUnknownMin = 4;
constexpr std::size_t kItemsMax = 1024;
// So much of a reply is sent before its end has come.
constexpr std::size_t kPartialReplyMax = std::size_t{16} * 1024;
constexpr protocol::Refusal kBadChunk{.reply = "CLIENT_ERROR bad data chunk\r\n"};

/// Marks that buffers are in use, so that running out of memory does not take them away.
class Busy {
 public:
  explicit Busy(int& count) : count_(count) { ++count_; }
  ~Busy() { --count_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  int& count_;
};

/// What stands behind the first word, without the blanks around it.
std::string_view arguments_of(const Request& request) {
  protocol::KeyWalker words(request.line);
  words.next();
  std::string_view rest = words.rest();
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest.substr(0, rest.find_last_not_of(' ') + 1);
}

Gate::Replies text_gate_replies() {
  return {.accepted = std::string(protocol::kAuthenticated),
          .refused = std::string(protocol::kAuthenticationFailed),
          .busy = "SERVER_ERROR too many clients authenticate at once\r\n"};
}

bool ends_with_crlf(std::string_view body) {
  return body.ends_with("\r\n");
}
}  // namespace

ClientConnection::ClientConnection(WorkerContext& context, Host& host, std::size_t lane)
    : context_(context),
      host_(host),
      lane_(lane),
      input_(context.blocks),
      output_(context.blocks) {}

ClientConnection::~ClientConnection() {
  while (first_ != nullptr) {
    ReplySlot* slot = std::exchange(first_, first_->next_);
    slot->give_up();
    slot->recycle();
  }
}

void ClientConnection::start(net::AcceptedSocket& socket, Authenticator* authenticator,
                             net::TlsAcceptor* tls) {
  connected_ = active_ = now();
  if (authenticator != nullptr) gate_ = std::make_unique<Gate>(context_, *authenticator);
  net::Stream::Handler& handler = *this;
  stream_ = tls != nullptr ? tls->start(socket, handler) : socket.start(handler);
}

void ClientConnection::turn_away(std::string_view line, CloseCause cause) {
  stream_->set_receiving(false);
  end_with(cause);
  answer(line, now());
}

void ClientConnection::refuse(std::string_view line, CloseCause cause) {
  stream_->close_with(line);
  close(cause);
}

// ---- input

std::span<char> ClientConnection::room() {
  if (body_) return {body_->block.data() + body_->filled, body_->size - body_->filled};
  return input_.room();
}

void ClientConnection::on_received(std::size_t count) {
  progress_ = true;
  context_.metrics.bytes_read.add(count);
  if (body_) {
    body_->filled += count;
    if (body_->filled == body_->size) finish_large_body();
  } else {
    input_.received(count);
    if (resume_.is_queued()) {  // it has had its share of this turn
      if (input_.is_full()) stop_reading();
      return;
    }
  }
  process();
}

void ClientConnection::process() {
  if (closed_ || body_ || !take_requests() || closed_) return;
  if (ending_) input_.consume(input_.view().size());
  input_.release_idle();
  pause_noted_ = false;
  if (std::exchange(paused_, false) && !ending_) stream_->set_receiving(true);
  if (at_end_) end_with(CloseCause::ClientClosed);
  close_if_done();
}

/// Takes requests off the input while there is a whole one. False: there are more, but they have to
/// wait for room, or for the other clients' turn.
bool ClientConnection::take_requests() {
  const Busy busy(busy_);
  const TimePoint started = active_ = now();
  int budget = context_.options.requests_per_turn;
  bool whole = true;
  while (whole && !input_.empty() && !ending_ && !closed_) {
    if (swallow_ > 0) {
      const std::size_t count = std::min(swallow_, input_.view().size());
      input_.consume(count);
      swallow_ -= count;
      whole = swallow_ == 0;
    } else if (!may_take_request()) {
      if (!has_room()) note_pause();
      if (in_flight_ >= context_.options.in_flight_max && !paused_) {
        context_.metrics.over_limit_in_flight.add();
      }
      stop_reading();
      return false;
    } else if (budget-- == 0) {
      context_.metrics.yields.add();
      context_.loop.in_next_turn(resume_);
      return false;
    } else {
      whole = take_request(started);
    }
    if (whole) begun_ = TimePoint::max();
  }
  if ((!whole || swallow_ > 0) && begun_ == TimePoint::max()) begun_ = started;
  return true;
}

/// False: the request at the front is not all here.
bool ClientConnection::take_request(TimePoint now) {
  if (dialect_ == Dialect::Unknown) {
    const bool binary = input_.view().front() == protocol::binary::kRequestMagic;
    dialect_ = binary ? Dialect::Binary : Dialect::Text;
  }
  if (dialect_ == Dialect::Binary) return binary_front_.take_request(now);
  return gate_ && !gate_->is_open() ? take_introduction(now) : take_text_request(now);
}

void ClientConnection::wait_for_more() {
  if (!input_.make_room()) close(CloseCause::NoMemory);
}

bool ClientConnection::take_text_request(TimePoint now) {
  const Parsed parsed = protocol::parse_request(input_.view(), context_.options.limits);
  switch (parsed.kind) {
    case Parsed::Kind::Incomplete:
      wait_for_more();
      return false;
    case Parsed::Kind::Refusal:
      count_limit(parsed);
      refuse(parsed.request, parsed.refusal, now);
      input_.consume(parsed.consumed);
      return true;
    case Parsed::Kind::Request:
      if (parsed.request.body_size) return take_storage(parsed, now);
      dispatch(parsed.request, Body{}, now);
      input_.consume(parsed.consumed);
      return true;
  }
  return false;
}

void ClientConnection::count_limit(const Parsed& parsed) {
  const auto kind = protocol::limit_passed(input_.view().substr(0, parsed.consumed), parsed.refusal,
                                           context_.options.limits);
  if (kind) context_.metrics.over_limit[static_cast<std::size_t>(*kind)].add();
}

/// The same for a client that has not said who it is.
bool ClientConnection::take_introduction(TimePoint now) {
  const protocol::Introduction said = protocol::parse_introduction(input_.view());
  switch (said.kind) {
    case protocol::Introduction::Kind::Incomplete:
      wait_for_more();
      return false;
    case protocol::Introduction::Kind::HangUp:
      refuse({.reply = {}, .close = true}, now);
      return true;
    case protocol::Introduction::Kind::Refusal:
      refuse({.reply = said.reply}, now);
      break;
    case protocol::Introduction::Kind::Attempt:
      append(*gate_).attempt(*this, now, said.user, said.password, text_gate_replies());
      break;
  }
  input_.consume(said.consumed);
  return true;
}

void ClientConnection::refuse(const protocol::Refusal& refusal, TimePoint now) {
  context_.metrics.refusals.add();
  swallow_ = refusal.swallow;
  answer(refusal.reply, now);
  if (refusal.close) end_with(CloseCause::Refused);
}

void ClientConnection::refuse(const Request& request, const protocol::Refusal& refusal,
                              TimePoint now) {
  if (!refusal.forgets) return refuse(refusal, now);
  context_.metrics.refusals.add();
  swallow_ = refusal.swallow;
  append(context_.single_slots.make()).forget(*this, now, request, refusal.reply);
}

void ClientConnection::refuse_body(const Request& request, protocol::Refusal refusal) {
  if (protocol::is_withheld(request.verb, request.quiet, protocol::ReplyCode::ClientError)) {
    refusal.reply = {};
  }
  refuse(request, refusal, now());
}

bool ClientConnection::take_storage(const Parsed& parsed, TimePoint now) {
  const std::size_t body_size = *parsed.request.body_size + 2;
  const std::string_view here = input_.view().substr(parsed.consumed);
  if (here.size() >= body_size) {
    const std::string_view body = here.substr(0, body_size);
    if (ends_with_crlf(body)) {
      dispatch(parsed.request, Body{.small = body, .large = {}}, now);
    } else {
      refuse_body(parsed.request, kBadChunk);
    }
    input_.consume(parsed.consumed + body_size);
    return true;
  }
  if (parsed.consumed + body_size > InputBuffer::kSize &&
      !begin_large_body(parsed.consumed, body_size, body_size)) {
    refuse_body(parsed.request, {.reply = "SERVER_ERROR out of memory storing object\r\n",
                                 .swallow = body_size - here.size(),
                                 .forgets = protocol::forgets_when_refused(parsed.request.verb)});
    input_.consume(input_.view().size());
  }
  return false;
}

bool ClientConnection::begin_large_body(std::size_t head_size, std::size_t body_size,
                                        std::size_t capacity) {
  const std::string_view here = input_.view().substr(head_size);
  net::Block block = context_.blocks.allocate(capacity);
  if (!block) return false;
  std::memcpy(block.data(), here.data(), here.size());
  body_.emplace(LargeBody{std::move(block), body_size, here.size()});
  input_.cut(head_size);
  return true;
}

void ClientConnection::finish_large_body() {
  const Busy busy(busy_);
  LargeBody body = std::move(*body_);
  body_.reset();
  begun_ = TimePoint::max();
  if (dialect_ == Dialect::Binary)
    return binary_front_.finish_large_body(std::move(body.block), now());
  finish_text_body(std::move(body));
}

void ClientConnection::finish_text_body(LargeBody&& body) {
  const Parsed parsed = protocol::parse_request(input_.view(), context_.options.limits);
  if (ends_with_crlf({body.block.data(), body.size})) {
    dispatch(parsed.request,
             Body{.small = {}, .large = std::move(body.block), .large_size = body.size}, now());
  } else {
    refuse_body(parsed.request, kBadChunk);
  }
  input_.consume(parsed.consumed);
}

// ---- requests

void ClientConnection::dispatch(const Request& request, Body&& body, TimePoint now) {
  context_.metrics.commands[static_cast<std::size_t>(request.verb)].add();
  switch (request.verb) {
    case Verb::MetaNoop:
      return answer("MN\r\n", now);
    case Verb::Version:
      if (context_.options.version == VersionPolicy::Servers) {
        return append(context_.fan_out_slots.make()).start(*this, now, request);
      }
      return answer("VERSION " + context_.shared.version + "\r\n", now);
    case Verb::Verbosity:
      return answer(request.quiet ? "" : "OK\r\n", now);
    case Verb::Stats:
      return answer(context_.shared.stats.stats(arguments_of(request)), now);
    case Verb::Quit:
      return end_with(CloseCause::Quit);
    case Verb::FlushAll:
      return append(context_.fan_out_slots.make()).start(*this, now, request);
    default:
      break;
  }
  if (RetrievalSlot::is_for(request)) {
    auto& slot = append(context_.retrieval_slots.make());
    unissued_ = &slot;
    return slot.start(*this, now, request);
  }
  append(context_.single_slots.make()).start(*this, now, request, std::move(body));
}

void ClientConnection::answer(std::string_view text, TimePoint now) {
  if (text.empty() || closed_) return;
  append(context_.single_slots.make()).answer(*this, now, text);
}

bool ClientConnection::may_take_request() const {
  if (gate_ && gate_->is_deciding()) return false;
  // A retrieval asks for its keys in portions; what is behind it must not overtake the last one.
  if (unissued_ != nullptr && !unissued_->all_issued()) return false;
  return has_room() && requests_held_ < high_water() &&
         in_flight_ < std::min(portion_max(), context_.options.in_flight_max);
}

bool ClientConnection::note_order(protocol::Verb verb) {
  const bool follows = last_write_ + in_flight_ > appended_;
  const bool reads = verb == protocol::Verb::Get || verb == protocol::Verb::Gets ||
                     verb == protocol::Verb::MetaGet;
  if (!reads) last_write_ = appended_;
  return follows;
}

std::size_t ClientConnection::portion_max() const {
  const std::size_t item_size = item_size_ != 0 ? item_size_ : context_.item_size;
  if (item_size == 0) {
    const std::size_t clients = context_.shared.client_count.load(std::memory_order_relaxed);
    return std::max(kItemsUnknown / std::max<std::size_t>(clients, 1), kItemsUnknownMin);
  }
  const std::size_t room = held_ < high_water() ? high_water() - held_ : 0;
  return std::clamp<std::size_t>(room / item_size, 1, kItemsMax);
}

void ClientConnection::learn_item_size(std::size_t size) {
  item_size_ = std::max(size, item_size_ - item_size_ / 16);
  context_.item_size = std::max(size, context_.item_size - context_.item_size / 256);
}

void ClientConnection::stop_reading() {
  if (std::exchange(paused_, true)) return;
  stream_->set_receiving(false);
}

void ClientConnection::note_pause() {
  if (!std::exchange(pause_noted_, true)) context_.metrics.reads_paused.add();
}

void ClientConnection::resume_soon() {
  if (unissued_ != nullptr) unissued_->on_room();
  // Not in this turn, of which it may have had its share. While busy it is going on already.
  if (paused_ && busy_ == 0 && !closed_ && may_take_request()) context_.loop.in_next_turn(resume_);
}

// ---- output

void ClientConnection::write(ReplySlot& slot, std::string_view bytes) {
  if (closed_) return;
  const Busy busy(busy_);
  net::Chain& to = &slot == first_ ? output_ : slot.waiting_;
  if (!to.append_copy(bytes)) return close(CloseCause::NoMemory);
  held_ += bytes.size();
  if (&slot == first_ && is_much_here()) stream_->flush_later();
}

void ClientConnection::write(ReplySlot& slot, net::Block block, std::size_t begin,
                             std::size_t end) {
  if (closed_) return;
  const Busy busy(busy_);
  (&slot == first_ ? output_ : slot.waiting_).append(std::move(block), begin, end);
  held_ += end - begin;
  if (&slot == first_ && is_much_here()) stream_->flush();
}

/// Of a reply whose end is to come nobody has any use, but of its memory.
bool ClientConnection::is_much_here() const {
  return output_.size() >= kPartialReplyMax || !has_room();
}

/// Passes on every reply whose turn has come.
void ClientConnection::on_done(ReplySlot& slot) {
  if (closed_) return;
  active_ = now();
  context_.metrics.request_time.record(active_ - slot.started_);
  if (&slot == unissued_) unissued_ = nullptr;
  while (first_ != nullptr && first_->done_) {
    ReplySlot* done = std::exchange(first_, first_->next_);
    if (first_ == nullptr) last_ = nullptr;
    --in_flight_;
    done->recycle();
    if (first_ != nullptr && !first_->waiting_.empty()) {
      const Busy busy(busy_);
      output_.append(std::move(first_->waiting_));
    }
  }
  if (!output_.empty()) first_ == nullptr ? stream_->flush() : stream_->flush_later();
  resume_soon();
  close_if_done();
}

void ClientConnection::on_sent(std::size_t count) {
  progress_ = true;
  context_.metrics.bytes_written.add(count);
  output_.consume(count);
  held_ -= count;
  if (paused_ && !output_.empty()) note_pause();
  if (!output_.empty()) {
    sent_short_ = true;
  } else if (std::exchange(sent_short_, false)) {
    active_ = now();
  }
  resume_soon();
  close_if_done();
}

// ---- ending

void ClientConnection::on_end_of_file() {
  at_end_ = true;
  if (body_) {  // of a request that will never be whole; those before it are answered all the same
    body_.reset();
    input_.consume(input_.view().size());
  }
  process();
}

void ClientConnection::on_broken(net::Breakage breakage) {
  close(net::is_of_tls(breakage.kind) ? CloseCause::TlsFailed : CloseCause::ClientClosed);
}

void ClientConnection::end_with(CloseCause cause) {
  if (!ending_) ending_ = cause;
}

std::optional<ClientConnection::Deadline> ClientConnection::deadline() const {
  const ClientOptions& options = context_.options;
  if (ending_) return std::nullopt;
  if (gate_ && !gate_->is_open() && options.auth.time_max > Duration{0}) {
    return Deadline{connected_ + options.auth.time_max, CloseCause::AuthLate};
  }
  if (begun_ != TimePoint::max()) {
    if (options.request_time_max == Duration{0}) return std::nullopt;
    return Deadline{begun_ + options.request_time_max, CloseCause::SlowRequest};
  }
  const bool is_idle = first_ == nullptr && output_.empty() && input_.empty();
  if (!is_idle || options.idle_max == Duration{0}) return std::nullopt;
  return Deadline{active_ + options.idle_max, CloseCause::Idle};
}

/// Tells it why, in the place of the reply that it would have got; an idle client would take such a
/// line for the reply to its next request.
void ClientConnection::expire(CloseCause cause) {
  if (cause == CloseCause::Idle) return close(cause);
  body_.reset();
  swallow_ = 0;
  input_.consume(input_.view().size());
  const bool is_late = cause == CloseCause::AuthLate;
  const std::string_view line = is_late ? "CLIENT_ERROR authentication took too long\r\n"
                                        : "CLIENT_ERROR request took too long to arrive\r\n";
  turn_away(dialect_ == Dialect::Binary ? std::string_view{} : line, cause);
  close_if_done();
}

void ClientConnection::drain() {
  draining_ = true;
  close_if_done();
}

void ClientConnection::close_if_done() {
  if (closed_ || first_ != nullptr || !output_.empty()) return;
  if (ending_) return close(*ending_);
  if (draining_ && !body_ && input_.empty() && busy_ == 0) close(CloseCause::Drained);
}

void ClientConnection::close(CloseCause cause) {
  if (closed_) return;
  closed_ = true;
  // Its last reply is to reach it, whatever it still sends.
  ending_ ? stream_->close_gently() : stream_->close();
  output_.clear();
  body_.reset();
  // The slots stay until the turn ends, but their memory may be what this is about.
  for (ReplySlot* slot = first_; slot != nullptr; slot = slot->next_) {
    slot->waiting_.clear();
    slot->give_up();
  }
  host_.on_client_closed(*this, cause);
}

}  // namespace mcsteady::proxy
