#include <algorithm>
#include <cstring>

#include "mcsteady/protocol/request.h"
#include "protocol/command_line.h"
#include "protocol/meta/meta.h"
#include "protocol/text/text.h"
#include "protocol/verb.h"

namespace mcsteady::protocol {
namespace {

// memcached hangs up on a line that is still open after so many bytes, unless it is a get or gets
// (proto_text.c, try_read_command_ascii).
constexpr std::size_t kServerLineMax = 2048;
constexpr char kBinaryMagic = '\x80';
constexpr Refusal kHangUp{.reply = {}, .close = true};
constexpr Refusal kTooLong{.reply = refusal::kLineTooLong, .close = true};

std::size_t short_line_max(const Limits& limits) {
  return std::min<std::size_t>(limits.line_max.value, kServerLineMax);
}

/// The bytes that the line at the front of `input` may have, its line end included. Multi-key gat
/// may be long here too: it goes to servers in parts.
std::size_t line_max_of(std::string_view input, const Limits& limits) {
  const auto verb = verb_named(Words(input.substr(0, kServerLineMax)).next());
  if (verb && is_classic_retrieval(*verb)) return limits.get_line_max.value;
  return short_line_max(limits);
}

Parsed refuse_unknown(CommandLine line, std::string_view name) {
  std::string_view last;
  for (std::string_view word = line.arguments.next(); !word.empty(); word = line.arguments.next()) {
    last = word;
  }
  // A browser was talked into sending us its request: its header lines must not run as commands.
  if (last.starts_with("HTTP/")) return refuse(line, kHangUp);
  if (!is_administrative(name)) return refuse(line, refusal::kError);
  return refuse(line, is_noreply(last) ? std::string_view{} : refusal::kNotProxied);
}

Parsed parse_line(CommandLine line, const Limits& limits) {
  switch (line.verb) {
    case Verb::Get:
    case Verb::Gets:
    case Verb::Gat:
    case Verb::Gats:
      return text::parse_retrieval(line, limits);
    case Verb::Set:
    case Verb::Add:
    case Verb::Replace:
    case Verb::Append:
    case Verb::Prepend:
    case Verb::Cas:
      return text::parse_storage(line, limits);
    case Verb::Incr:
    case Verb::Decr:
    case Verb::Touch:
      return text::parse_number_command(line, limits);
    case Verb::Delete:
      return text::parse_delete(line, limits);
    case Verb::MetaGet:
    case Verb::MetaDelete:
    case Verb::MetaArithmetic:
      return meta::parse_keyed(line, limits);
    case Verb::MetaSet:
      return meta::parse_set(line, limits);
    case Verb::MetaDebug:
      return meta::parse_debug(line, limits);
    case Verb::MetaNoop:
      return meta::parse_noop(line);
    case Verb::Version:
    case Verb::Verbosity:
    case Verb::FlushAll:
    case Verb::Stats:
    case Verb::Quit:
      return text::parse_keyless(line);
  }
  return refuse(line, refusal::kError);
}

}  // namespace

Parsed parse_request(std::string_view input, const Limits& limits) {
  if (input.empty()) return {};
  if (input.front() == kBinaryMagic) {
    return refuse_bytes(input.size(), kHangUp);
  }
  const void* const found = std::memchr(input.data(), '\n', input.size());
  const std::size_t length =
      found == nullptr
          ? input.size()
          : static_cast<std::size_t>(static_cast<const char*>(found) - input.data()) + 1;
  if (length > short_line_max(limits) && length > line_max_of(input, limits)) {
    return refuse_bytes(length, kTooLong);
  }
  if (found == nullptr) return {};

  std::string_view text = input.substr(0, length - 1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  // 1.6.18 takes blanks before a command, newer ones do not: without them both do.
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  CommandLine line{.text = text, .consumed = length, .arguments = Words(text)};
  const std::string_view name = line.arguments.next();
  const std::optional<Verb> verb = verb_named(name);
  if (!verb) return refuse_unknown(line, name);
  line.verb = *verb;
  return parse_line(line, limits);
}

std::string_view KeyWalker::next() {
  Words words(rest_);
  const std::string_view key = words.next();
  rest_.remove_prefix(key.empty()
                          ? rest_.size()
                          : static_cast<std::size_t>(key.data() + key.size() - rest_.data()));
  return key;
}

}  // namespace mcsteady::protocol
