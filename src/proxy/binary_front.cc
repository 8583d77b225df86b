#include "proxy/binary_front.h"

#include <array>
#include <string>
#include <utility>

#include "proxy/binary_slot.h"
#include "proxy/client_connection.h"
#include "proxy/fan_out_slot.h"

namespace mcsteady::proxy {

namespace binary = protocol::binary;
using binary::Parsed;
using binary::SaslRequest;
using protocol::Verb;

bool BinaryFront::take_request(TimePoint now) {
  if (const Gate* const gate = client_.gate(); gate != nullptr) {
    const SaslRequest said = binary::parse_sasl(client_.input());
    if (!gate->is_open() || said.kind != SaslRequest::Kind::Other) {
      return take_introduction(said, now);
    }
  }
  const Parsed parsed = binary::parse_request(client_.input(), context_.options.limits);
  switch (parsed.kind) {
    case Parsed::Kind::Incomplete:
      client_.wait_for_more();
      return false;
    case Parsed::Kind::Refusal:
      count_limit(parsed.refusal.status);
      refuse(parsed.request, parsed.refusal, now);
      client_.consume(parsed.consumed);
      return true;
    case Parsed::Kind::Request:
      if (parsed.request.has_value) return take_value(parsed, now);
      dispatch(parsed.request, Body{}, now);
      client_.consume(parsed.consumed);
      return true;
  }
  return false;
}

void BinaryFront::count_limit(binary::Status status) {
  using protocol::LimitKind;
  const auto count = [this](LimitKind kind) {
    context_.metrics.over_limit[static_cast<std::size_t>(kind)].add();
  };
  if (status == binary::Status::TooLarge) count(LimitKind::Value);
  if (status == binary::Status::InvalidArguments &&
      binary::key_size_of(client_.input()) > context_.options.limits.key_max.value) {
    count(LimitKind::Key);
  }
}

/// The same on a listener that asks who the client is.
bool BinaryFront::take_introduction(const SaslRequest& said, TimePoint now) {
  switch (said.kind) {
    case SaslRequest::Kind::Incomplete:
      client_.wait_for_more();
      return false;
    case SaslRequest::Kind::Other:
      refuse(said.call, {.status = binary::Status::AuthError, .close = true}, now);
      break;
    case SaslRequest::Kind::Refusal:
      refuse(said.call, said.refusal, now);
      break;
    case SaslRequest::Kind::List:
      answer(binary::text_reply(said.call, binary::kMechanisms), now);
      break;
    case SaslRequest::Kind::Begin:
      sasl_begun_ = true;
      answer(binary::error_reply(said.call, binary::Status::AuthContinue), now);
      break;
    case SaslRequest::Kind::Attempt:
      attempt(said, now);
      break;
  }
  client_.consume(said.consumed);
  return true;
}

void BinaryFront::attempt(const SaslRequest& said, TimePoint now) {
  using binary::Status;
  const bool has_begun = std::exchange(sasl_begun_, false);
  if (said.is_step && !has_begun) return refuse(said.call, {.status = Status::AuthError}, now);
  const auto bytes_of = [](const binary::Reply& reply) {
    return std::string(reply.head.view()).append(reply.rest);
  };
  Gate::Replies replies{.accepted = bytes_of(binary::text_reply(said.call, binary::kAuthenticated)),
                        .refused = bytes_of(binary::error_reply(said.call, Status::AuthError)),
                        .busy = bytes_of(binary::error_reply(said.call, Status::TemporaryFailure))};
  client_.append(*client_.gate())
      .attempt(client_, now, said.user, said.password, std::move(replies));
}

bool BinaryFront::take_value(const Parsed& parsed, TimePoint now) {
  const std::size_t size = parsed.request.value_size;
  const std::string_view here = client_.input().substr(parsed.consumed);
  if (here.size() >= size) {
    dispatch(parsed.request, Body{.small = here.substr(0, size), .large = {}}, now);
    client_.consume(parsed.consumed + size);
    return true;
  }
  if (parsed.consumed + size <= InputBuffer::kSize) return false;
  if (!client_.begin_large_body(parsed.consumed, size, size + 2)) {
    refuse(parsed.request,
           {.status = binary::Status::OutOfMemory,
            .swallow = size - here.size(),
            .forgets = parsed.request.call.verb == Verb::Set},
           now);
    client_.consume(parsed.consumed + here.size());
  }
  return false;
}

void BinaryFront::finish_large_body(net::Block block, TimePoint now) {
  const Parsed parsed = binary::parse_request(client_.input(), context_.options.limits);
  const std::size_t size = parsed.request.value_size;
  block.data()[size] = '\r';
  block.data()[size + 1] = '\n';
  dispatch(parsed.request, Body{.small = {}, .large = std::move(block), .large_size = size + 2},
           now);
  client_.consume(parsed.consumed);
}

void BinaryFront::refuse(const binary::Request& request, const binary::Refusal& refusal,
                         TimePoint now) {
  if (!refusal.forgets) return refuse(request.call, refusal, now);
  context_.metrics.refusals.add();
  client_.swallow(refusal.swallow);
  client_.append(context_.binary_slots.make()).forget(client_, now, request, refusal.status);
}

void BinaryFront::refuse(const binary::Call& call, const binary::Refusal& refusal, TimePoint now) {
  context_.metrics.refusals.add();
  client_.swallow(refusal.swallow);
  if (refusal.status != binary::Status::Ok) answer(binary::error_reply(call, refusal.status), now);
  if (refusal.close) client_.end_with(CloseCause::Refused);
}

void BinaryFront::dispatch(const binary::Request& request, Body&& body, TimePoint now) {
  context_.metrics.commands[static_cast<std::size_t>(request.call.verb)].add();
  switch (request.call.verb) {
    case Verb::MetaNoop:
      return answer(binary::empty_reply(request.call), now);
    case Verb::Version:
      if (context_.options.version == VersionPolicy::Servers) return ask_versions(request, now);
      return answer(binary::text_reply(request.call, context_.shared.version), now);
    case Verb::Stats:
      return answer_stats(request, now);
    case Verb::Quit:
      answer(binary::empty_reply(request.call), now);
      return client_.end_with(CloseCause::Quit);
    case Verb::FlushAll:
      return flush(request, now);
    default:
      client_.append(context_.binary_slots.make()).start(client_, now, request, std::move(body));
  }
}

void BinaryFront::answer(const binary::Reply& reply, TimePoint now) {
  if (reply.withheld) return;
  std::array<char, 512> bytes;
  const std::string_view head = reply.head.view();
  if (head.size() + reply.rest.size() <= bytes.size()) {
    char* const end = std::copy(reply.rest.begin(), reply.rest.end(),
                                std::copy(head.begin(), head.end(), bytes.data()));
    client_.answer({bytes.data(), static_cast<std::size_t>(end - bytes.data())}, now);
  } else {
    client_.answer(std::string(head).append(reply.rest), now);
  }
}

void BinaryFront::answer_stats(const binary::Request& request, TimePoint now) {
  std::string reply;
  binary::compose_stats(request.call, context_.shared.stats.stats(request.key), reply);
  client_.answer(reply, now);
}

void BinaryFront::ask_versions(const binary::Request& request, TimePoint now) {
  const protocol::Request text{
      .verb = Verb::Version, .line = "version", .keys = {}, .exptime = {}, .body_size = {}};
  client_.append(context_.fan_out_slots.make()).start(client_, now, text, request.call);
}

void BinaryFront::flush(const binary::Request& request, TimePoint now) {
  std::array<char, binary::kCommandMax> command;
  const std::size_t size = binary::compose_command(request, command.data());
  const protocol::Request text{.verb = Verb::FlushAll,
                               .line = {command.data(), size - 2},
                               .keys = {},
                               .exptime = {},
                               .body_size = {}};
  client_.append(context_.fan_out_slots.make()).start(client_, now, text, request.call);
}

}  // namespace mcsteady::proxy
