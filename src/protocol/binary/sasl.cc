#include "mcsteady/protocol/sasl.h"

#include <algorithm>

#include "protocol/binary/header.h"

namespace mcsteady::protocol::binary {
namespace {

using Kind = SaslRequest::Kind;

constexpr std::size_t kMechanismMax = 32;  // memcached.h, MAX_SASL_MECH_LEN

bool is_sasl(std::uint8_t opcode) {
  return opcode >= static_cast<std::uint8_t>(Opcode::SaslList) &&
         opcode <= static_cast<std::uint8_t>(Opcode::SaslStep);
}

SaslRequest refuse(SaslRequest request, std::size_t head_size, const Refusal& refusal) {
  request.kind = Kind::Refusal;
  request.consumed = head_size;
  request.refusal = refusal;
  return request;
}

/// Mechanisms have upper-case names, and memcached's library takes them in any case.
bool is_plain(std::string_view mechanism) {
  return std::ranges::equal(mechanism, kMechanisms, [](char given, char wanted) {
    return given == wanted || given == wanted - 'A' + 'a';
  });
}

/// [user to act as] NUL user NUL password. Acting as somebody else is not possible. False: it is
/// none of these.
bool read_response(std::string_view response, SaslRequest& request) {
  const std::size_t first = response.find('\0');
  if (first == std::string_view::npos) return false;
  const std::size_t second = response.find('\0', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view acts_as = response.substr(0, first);
  request.user = response.substr(first + 1, second - first - 1);
  request.password = response.substr(second + 1);
  return !request.user.empty() && !request.password.empty() &&
         request.password.find('\0') == std::string_view::npos &&
         (acts_as.empty() || acts_as == request.user);
}

/// What is wrong with the form of a SASL command; nothing where `status` is Ok.
Refusal fault_of(const Header& header) {
  const bool is_list = header.opcode == static_cast<std::uint8_t>(Opcode::SaslList);
  const bool has_form =
      header.extras_size == 0 && (is_list ? header.body_size == 0 : header.key_size > 0);
  if (!has_form) return {.status = Status::InvalidArguments, .close = true};
  if (header.key_size > kMechanismMax) {
    return {.status = Status::InvalidArguments, .swallow = header.value_size()};
  }
  if (header.value_size() > kSaslResponseMax) {
    return {.status = Status::AuthError, .swallow = header.value_size()};
  }
  return {};
}

}  // namespace

SaslRequest parse_sasl(std::string_view input) {
  if (input.empty()) return {};
  if (input.front() != kRequestMagic) return refuse({}, input.size(), {.close = true});
  if (input.size() < kHeaderSize) return {};
  const Header header = read_header(input);
  SaslRequest request;
  request.call = {.opcode = header.opcode, .opaque = header.opaque};
  if (!is_sasl(header.opcode)) {
    request.kind = Kind::Other;
    return request;
  }
  if (!header.is_sound()) {
    return refuse(request, kHeaderSize, {.status = Status::UnknownCommand, .close = true});
  }
  const Refusal fault = fault_of(header);
  if (fault.close) return refuse(request, kHeaderSize, fault);
  if (input.size() < header.head_size()) return {};
  if (fault.status != Status::Ok) return refuse(request, header.head_size(), fault);
  const std::size_t size = header.head_size() + header.value_size();
  if (input.size() < size) return {};

  request.consumed = size;
  request.kind = Kind::List;
  if (header.opcode == static_cast<std::uint8_t>(Opcode::SaslList)) return request;
  request.is_step = header.opcode == static_cast<std::uint8_t>(Opcode::SaslStep);
  const std::string_view mechanism = input.substr(kHeaderSize, header.key_size);
  const std::string_view response = input.substr(header.head_size(), header.value_size());
  request.kind = response.empty() && !request.is_step ? Kind::Begin : Kind::Attempt;
  const bool is_known = is_plain(mechanism);
  if (is_known && (request.kind == Kind::Begin || read_response(response, request))) return request;
  return refuse(request, size, {.status = Status::AuthError});
}

}  // namespace mcsteady::protocol::binary
