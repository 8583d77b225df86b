#include "proxy/fan_out_slot.h"

#include <algorithm>

#include "proxy/client_connection.h"
#include "proxy/lowest_version.h"
#include "proxy/unavailable.h"

namespace mcsteady::proxy {

namespace {
/// Of a line "VERSION 1.6.18".
std::string_view version_in(std::string_view line) {
  line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  return line.substr(0, line.find('\r'));
}
}  // namespace

void FanOutSlot::start(ClientConnection& client, TimePoint now, const protocol::Request& request,
                       const std::optional<protocol::binary::Call>& binary) {
  begin(client, now);
  binary_ = binary;
  reply_.clear();
  failed_ = unreached_ = has_version_ = false;
  if (request.verb == protocol::Verb::FlushAll) {
    client.note_order(request.verb);
    context_.router.let_go(client.lane());
  }
  const Router::Everyone everyone = context_.router.everyone(request.verb);
  if (everyone.targets.empty()) return answer_for_nobody(request, everyone.refusal);
  parts_.assign(everyone.targets.size(), nullptr);
  // One more than there are, so that a server that fails at once cannot end it half-way.
  open_parts_ = everyone.targets.size() + 1;
  for (std::size_t i = 0; i < everyone.targets.size(); ++i) {
    upstream::ExchangePtr exchange = make_exchange(context_, *this, request, Body{}, now);
    if (!exchange) {
      reply_ = no_memory_reply(context_.router.on_down(), request);
      failed_ = unreached_ = true;
      --open_parts_;
      continue;
    }
    exchange->tag = static_cast<std::uint32_t>(i);
    parts_[i] = exchange.get();
    Router::submit_to(everyone.targets[i], std::move(exchange), client.lane());
  }
  if (--open_parts_ == 0) end();
}

/// The route sends it to no server.
void FanOutSlot::answer_for_nobody(const protocol::Request& request, std::string_view refusal) {
  parts_.clear();
  if (!refusal.empty()) {
    failed_ = unreached_ = true;
    protocol::compose_unavailable(request.verb, request.quiet, request.line,
                                  protocol::DownPolicy::Error, refusal, reply_);
  } else if (request.verb == protocol::Verb::Version) {
    reply_ = "VERSION " + context_.shared.version + "\r\n";
    has_version_ = true;
  } else if (!protocol::is_withheld(request.verb, request.quiet, protocol::ReplyCode::Ok)) {
    reply_ = "OK\r\n";
  }
  end();
}

void FanOutSlot::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  if (line.code == protocol::ReplyCode::Version) {
    take_version(line.line);
    return end_part(exchange);
  }
  const bool failed = protocol::is_error(line.code);
  const bool withheld = protocol::is_withheld(exchange.verb, exchange.quiet, line.code);
  if (has_version_) return end_part(exchange);
  if (!withheld && !failed_ && (failed || reply_.empty())) reply_ = line.line;
  failed_ = failed_ || failed;
  end_part(exchange);
}

void FanOutSlot::take_version(std::string_view line) {
  if (!has_version_ || is_lower_version(version_in(line), version_in(reply_))) reply_ = line;
  has_version_ = true;
  failed_ = unreached_ = false;
}

void FanOutSlot::on_failed(upstream::Exchange& exchange, upstream::Failure failure) {
  if (has_version_) return end_part(exchange);
  context_.metrics.unavailable.add();
  if (!failed_) {
    reply_ = unavailable_reply(exchange, failure);
    unreached_ = true;
  }
  failed_ = true;
  end_part(exchange);
}

void FanOutSlot::end_part(upstream::Exchange& exchange) {
  parts_[exchange.tag] = nullptr;
  if (--open_parts_ == 0) end();
}

void FanOutSlot::end() {
  if (binary_) {
    const protocol::binary::Reply reply = binary_reply();
    if (!reply.withheld) {
      write(reply.head.view());
      write(reply.rest);
    }
  } else {
    write(reply_);
  }
  finish();
}

protocol::binary::Reply FanOutSlot::binary_reply() const {
  namespace binary = protocol::binary;
  if (has_version_) return binary::text_reply(*binary_, version_in(reply_));
  if (!failed_) return binary::empty_reply(*binary_);
  const std::string_view line = std::string_view(reply_).substr(0, reply_.find('\r'));
  if (!unreached_) return binary::server_error_reply(*binary_, line);
  return binary::error_reply(*binary_, binary::Status::TemporaryFailure,
                             line.substr(line.find(' ') + 1));
}

void FanOutSlot::give_up() {
  for (upstream::Exchange*& part : parts_) {
    if (part != nullptr) part->give_up();
    part = nullptr;
  }
}

void FanOutSlot::recycle() {
  clear();
  context_.fan_out_slots.give_back(*this);
}

}  // namespace mcsteady::proxy
