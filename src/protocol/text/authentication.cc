#include "mcsteady/protocol/authentication.h"

#include <charconv>
#include <optional>

#include "protocol/words.h"

namespace mcsteady::protocol {
namespace {

constexpr std::string_view kUnauthenticated = "CLIENT_ERROR unauthenticated\r\n";
constexpr std::string_view kBadTermination = "CLIENT_ERROR bad command line termination\r\n";
constexpr std::string_view kBadToken = "CLIENT_ERROR bad authentication token format\r\n";

Introduction refusal(std::string_view reply, std::size_t consumed) {
  return {.kind = Introduction::Kind::Refusal, .consumed = consumed, .reply = reply};
}

/// memcached handles line and body as C strings.
std::string_view up_to_nul(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

/// The length that the line announces; nothing where it is no `set`. Unlike elsewhere a plus sign
/// is taken, and words behind the length are not looked at.
std::optional<std::uint64_t> announced(std::string_view line) {
  Words words(up_to_nul(line));
  if (words.next() != "set") return std::nullopt;
  for (int i = 0; i < 3; ++i) words.next();
  std::string_view length = words.next();
  if (length.starts_with('+')) length.remove_prefix(1);
  return parse_unsigned<std::uint64_t>(length);
}

}  // namespace

Introduction parse_introduction(std::string_view input) {
  using Kind = Introduction::Kind;
  if (input.size() < 2) return {};
  const std::size_t line_end = input.find('\n');
  if (line_end == std::string_view::npos) {
    return {.kind = input.size() > kIntroductionLineMax ? Kind::HangUp : Kind::Incomplete};
  }
  std::string_view line = input.substr(0, line_end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto length = announced(line);
  if (!length) return refusal(kUnauthenticated, line_end + 1);
  if (*length > kIntroductionBodyMax - 2) return {.kind = Kind::HangUp};

  std::string_view body = input.substr(line_end + 1);
  const std::size_t body_size = static_cast<std::size_t>(*length) + 2;
  if (body.size() < body_size) return {};
  body = body.substr(0, body_size);
  const std::size_t consumed = line_end + 1 + body_size;
  if (!body.ends_with("\r\n")) return refusal(kBadTermination, consumed);
  body.remove_suffix(2);
  Words words(up_to_nul(body));
  const std::string_view user = words.next();
  const std::string_view password = words.next();
  if (password.empty()) return refusal(kBadToken, consumed);
  return {.kind = Kind::Attempt, .consumed = consumed, .user = user, .password = password};
}

}  // namespace mcsteady::protocol
