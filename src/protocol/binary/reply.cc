#include <algorithm>
#include <cassert>
#include <optional>

#include "mcsteady/protocol/binary.h"
#include "protocol/binary/base64.h"
#include "protocol/binary/bytes.h"
#include "protocol/words.h"

namespace mcsteady::protocol::binary {

/// Writes what stands before the value of a reply, and states its length in the header.
class HeadWriter {
 public:
  struct Parts {
    Status status = Status::Ok;
    std::uint64_t cas = 0;
    std::optional<std::uint32_t> flags;  // the extras
    std::string_view key;
  };
  static Reply write(const Call& call, const Parts& parts, std::string_view value) {
    Reply reply;
    const std::size_t extras_size = parts.flags ? sizeof(*parts.flags) : 0;
    char* out = put_header(call, parts, extras_size, value.size(), reply.head.bytes_.data());
    if (parts.flags) out = store(*parts.flags, out);
    assert(parts.key.size() <= ReplyHead::kKeyMax);
    out = std::copy(parts.key.begin(), parts.key.end(), out);
    reply.head.size_ = static_cast<std::size_t>(out - reply.head.bytes_.data());
    reply.rest = value;
    return reply;
  }
  static Reply write_number(const Call& call, std::uint64_t cas, std::uint64_t number) {
    Reply reply;
    char* out = put_header(call, {.cas = cas, .flags = {}, .key = {}}, 0, sizeof number,
                           reply.head.bytes_.data());
    out = store(number, out);
    reply.head.size_ = static_cast<std::size_t>(out - reply.head.bytes_.data());
    return reply;
  }

 private:
  static char* put_header(const Call& call, const Parts& parts, std::size_t extras_size,
                          std::size_t value_size, char* out) {
    constexpr std::uint8_t kReplyMagic = 0x81, kRawBytes = 0;
    const std::size_t body_size = extras_size + parts.key.size() + value_size;
    out = store(kReplyMagic, out);
    out = store(call.opcode, out);
    out = store(static_cast<std::uint16_t>(parts.key.size()), out);
    out = store(static_cast<std::uint8_t>(extras_size), out);
    out = store(kRawBytes, out);
    out = store(static_cast<std::uint16_t>(parts.status), out);
    out = store(static_cast<std::uint32_t>(body_size), out);
    out = store(call.opaque, out);
    return store(parts.cas, out);
  }
};

namespace {

bool is_get(Verb verb) {
  return verb == Verb::Get || verb == Verb::Gat;
}

Reply withheld_reply() {
  Reply reply;
  reply.withheld = true;
  return reply;
}

/// The numbers of the flags f and c in a meta reply.
struct ItemFacts {
  std::uint32_t flags = 0;
  std::uint64_t cas = 0;
};
ItemFacts facts_of(const ReplyLine& line) {
  ItemFacts facts;
  Words words(line.line.substr(0, line.line.find('\r')));
  words.next();
  if (line.value_size) words.next();
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const char flag = word.front();
    word.remove_prefix(1);
    if (flag == 'f') {
      // A server may be built for flags of 64 bits; this protocol has room for 32.
      facts.flags = static_cast<std::uint32_t>(parse_unsigned<std::uint64_t>(word).value_or(0));
    }
    if (flag == 'c') facts.cas = parse_unsigned<std::uint64_t>(word).value_or(0);
  }
  return facts;
}

/// A server may have padded the number with blanks.
Reply number_reply(const Call& call, std::uint64_t cas, std::string_view value) {
  const auto number = parse_unsigned<std::uint64_t>(Words(value).next());
  if (!number) return error_reply(call, Status::InternalError);
  return HeadWriter::write_number(call, cas, *number);
}

Reply success_reply(const Call& call, std::string_view key, const ReplyLine& line,
                    std::string_view value) {
  const ItemFacts facts = facts_of(line);
  if (is_get(call.verb) || call.verb == Verb::Touch) {
    const std::string_view told_key = call.returns_key ? key : std::string_view{};
    return HeadWriter::write(call, {.cas = facts.cas, .flags = facts.flags, .key = told_key},
                             value);
  }
  if (call.quiet) return withheld_reply();
  if (line.value_size) return number_reply(call, facts.cas, value);
  return HeadWriter::write(call, {.cas = facts.cas, .flags = {}, .key = {}}, {});
}

Reply miss_reply(const Call& call, std::string_view key) {
  if (!is_get(call.verb)) return error_reply(call, Status::KeyNotFound);
  if (call.quiet) return withheld_reply();
  if (!call.returns_key) return error_reply(call, Status::KeyNotFound);
  return HeadWriter::write(call, {.status = Status::KeyNotFound, .flags = {}, .key = key}, {});
}

/// proto_bin.c, complete_update_bin.
Status not_stored_status(Verb verb) {
  if (verb == Verb::Add) return Status::KeyExists;
  if (verb == Verb::Replace) return Status::KeyNotFound;
  return Status::NotStored;
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::Ok:
      return "";
    case Status::KeyNotFound:
      return "Not found";
    case Status::KeyExists:
      return "Data exists for key.";
    case Status::TooLarge:
      return "Too large.";
    case Status::InvalidArguments:
      return "Invalid arguments";
    case Status::NotStored:
      return "Not stored.";
    case Status::NonNumeric:
      return "Non-numeric server-side value for incr or decr";
    case Status::AuthError:
      return "Auth failure.";
    case Status::AuthContinue:
      return "";
    case Status::UnknownCommand:
      return "Unknown command";
    case Status::OutOfMemory:
      return "Out of memory";
    case Status::InternalError:
      return "Internal error";
    case Status::TemporaryFailure:
      return "Temporary failure";
  }
  return "?";
}

Reply empty_reply(const Call& call) {
  return text_reply(call, {});
}

Reply error_reply(const Call& call, Status status, std::string_view text) {
  if (text.empty()) text = to_string(status);
  return HeadWriter::write(call, {.status = status, .flags = {}, .key = {}}, text);
}

Reply text_reply(const Call& call, std::string_view text) {
  if (call.quiet) return withheld_reply();
  return HeadWriter::write(call, {.flags = {}, .key = {}}, text);
}

Reply server_error_reply(const Call& call, std::string_view line) {
  constexpr std::string_view kServerError = "SERVER_ERROR ";
  constexpr std::string_view kNonNumeric =
      "CLIENT_ERROR cannot increment or decrement non-numeric value";
  if (line == kNonNumeric) return error_reply(call, Status::NonNumeric);
  if (line.starts_with("CLIENT_ERROR")) return error_reply(call, Status::InvalidArguments);
  std::string_view text = line;
  if (text.starts_with(kServerError)) text.remove_prefix(kServerError.size());
  if (text.starts_with("object too large")) return error_reply(call, Status::TooLarge);
  const bool no_memory = text.starts_with("out of memory") || text.starts_with("Out of memory");
  return error_reply(call, no_memory ? Status::OutOfMemory : Status::InternalError, text);
}

Reply translate(const Call& call, std::string_view key, const ReplyLine& line,
                std::string_view value) {
  switch (line.code) {
    case ReplyCode::MetaValue:
    case ReplyCode::MetaHeader:
    case ReplyCode::Ok:
      return success_reply(call, key, line, value);
    case ReplyCode::MetaMiss:
    case ReplyCode::MetaNotFound:
      return miss_reply(call, key);
    case ReplyCode::MetaExists:
      return error_reply(call, Status::KeyExists);
    case ReplyCode::MetaNotStored:
      return error_reply(call, not_stored_status(call.verb));
    default:
      return server_error_reply(call, line.line.substr(0, line.line.find('\r')));
  }
}

Reply unavailable_reply(const Call& call, std::string_view key, DownPolicy policy,
                        std::string_view why) {
  if (is_get(call.verb) && (call.quiet || policy == DownPolicy::Miss)) return miss_reply(call, key);
  return error_reply(call, Status::TemporaryFailure, why);
}

void compose_stats(const Call& call, std::string_view text, std::string& out) {
  const auto append = [&out](const Reply& reply) {
    out.append(reply.head.view()).append(reply.rest);
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find("\r\n"));
    text.remove_prefix(std::min(line.size() + 2, text.size()));
    if (line == "END" || line == "RESET") return append(empty_reply(call));
    if (!line.starts_with("STAT ")) return append(error_reply(call, Status::KeyNotFound));
    const std::string_view key = Words(line.substr(5)).next();
    const std::size_t value_at = std::min(5 + key.size() + 1, line.size());
    append(HeadWriter::write(call, {.flags = {}, .key = key.substr(0, kServerKeyMax)},
                             line.substr(value_at)));
  }
}

}  // namespace mcsteady::protocol::binary
