#include "protocol/meta/meta.h"

#include "protocol/body_size.h"
#include "protocol/meta/flags.h"

namespace mcsteady::protocol::meta {
namespace {

// proto_text.c, MFLAG_MAX_OPT_LENGTH: 20 words with the verb and a closing empty one.
constexpr std::size_t kWordsMax = 19;
// MFLAG_MAX_OPAQUE_LENGTH, and the O itself counts.
constexpr std::size_t kOpaqueWordMax = 32;

struct FlagsRead {
  std::string_view fault;  // what memcached says of them; empty: nothing
  bool quiet = false;
};

FlagsRead read_flags(Verb verb, Words& words, std::size_t flags_max) {
  const bool own_text = verb == Verb::MetaDelete || verb == Verb::MetaArithmetic;
  FlagsRead read;
  FlagSet seen;
  std::size_t count = 0;
  for (std::string_view flag = words.next(); !flag.empty(); flag = words.next()) {
    ++count;
    if (!read.fault.empty()) continue;
    if (!seen.insert(flag.front())) {
      read.fault = own_text ? refusal::kBadFlag : refusal::kDuplicateFlag;
    } else if (flag.front() == 'O' && flag.size() > kOpaqueWordMax) {
      read.fault = refusal::kOpaqueTooLong;
    }
  }
  if (count > flags_max) read.fault = refusal::kManyFlags;
  if (words.saw_control()) read.fault = refusal::kBadFormat;
  read.quiet = seen.contains('q');
  return read;
}

}  // namespace

Parsed parse_keyed(CommandLine line, const Limits& limits) {
  const std::string_view key = line.arguments.next();
  if (key.empty()) return refuse(line, refusal::kError);
  if (key.size() > limits.key_max.value) return refuse(line, refusal::kBadFormat);
  const FlagsRead flags = read_flags(line.verb, line.arguments, kWordsMax - 2);
  if (!flags.fault.empty()) return refuse(line, flags.fault);

  Parsed parsed = accept(line);
  parsed.request.keys = key;
  parsed.request.quiet = flags.quiet;
  return parsed;
}

Parsed parse_set(CommandLine line, const Limits& limits) {
  const std::string_view key = line.arguments.next();
  if (key.empty()) return refuse(line, refusal::kError);
  const BodySize body(line.arguments.next());
  if (!body.size() || key.size() > limits.key_max.value) {
    return refuse(line, body.refusal(refusal::kBadFormat));
  }
  const FlagsRead flags = read_flags(line.verb, line.arguments, kWordsMax - 3);
  if (!flags.fault.empty()) return refuse(line, body.refusal(flags.fault));
  if (*body.size() > limits.value_max.value) {
    return refuse_value(line, key, body.refusal(refusal::kTooLarge));
  }

  Parsed parsed = accept(line);
  parsed.request.keys = key;
  parsed.request.body_size = body.size();
  parsed.request.quiet = flags.quiet;
  return parsed;
}

Parsed parse_debug(CommandLine line, const Limits& limits) {
  const std::string_view key = line.arguments.next();
  line.arguments.skip_rest();
  if (key.empty() || key.size() > limits.key_max.value || line.arguments.saw_control()) {
    return refuse(line, refusal::kBadFormat);
  }
  Parsed parsed = accept(line);
  parsed.request.keys = key;
  return parsed;
}

Parsed parse_noop(CommandLine line) {
  line.arguments.skip_rest();
  if (line.arguments.saw_control()) return refuse(line, refusal::kBadFormat);
  return accept(line);
}

}  // namespace mcsteady::protocol::meta
