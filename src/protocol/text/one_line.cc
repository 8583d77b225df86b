#include "protocol/text/text.h"

namespace mcsteady::protocol::text {
namespace {

std::string_view unless(bool quiet, std::string_view reply) {
  return quiet ? std::string_view{} : reply;
}

Parsed accept_key(const CommandLine& line, std::string_view key, bool quiet) {
  Parsed parsed = accept(line);
  parsed.request.keys = key;
  parsed.request.quiet = quiet;
  return parsed;
}

}  // namespace

Parsed parse_number_command(CommandLine line, const Limits& limits) {
  Words& words = line.arguments;
  const std::string_view key = words.next();
  const std::string_view number = words.next();
  const std::string_view extra = words.next();
  const bool too_many = words.skip_rest() != 0;
  if (number.empty() || too_many) return refuse(line, refusal::kError);

  const bool quiet = is_noreply(extra.empty() ? number : extra);
  if (key.size() > limits.key_max.value || words.saw_control()) {
    return refuse(line, unless(quiet, refusal::kBadFormat));
  }
  if (line.verb == Verb::Touch) {
    if (!is_exptime(number)) return refuse(line, unless(quiet, refusal::kBadExptime));
  } else if (!parse_unsigned<std::uint64_t>(number)) {
    return refuse(line, unless(quiet, refusal::kBadDelta));
  }
  return accept_key(line, key, quiet);
}

Parsed parse_delete(CommandLine line, const Limits& limits) {
  Words& words = line.arguments;
  const std::string_view key = words.next();
  const std::string_view second = words.next();
  const std::string_view third = words.next();
  const bool too_many = words.skip_rest() != 0;
  if (key.empty() || too_many) return refuse(line, refusal::kError);

  const bool quiet = is_noreply(third.empty() ? second : third);
  // A hold time of 0 is what is left of a delete that could wait; old clients still send it.
  const bool known = second.empty() || second == "0" || (quiet && third.empty());
  if (!known || (!third.empty() && !quiet)) {
    return refuse(line, unless(quiet, refusal::kDeleteUsage));
  }
  if (key.size() > limits.key_max.value || words.saw_control()) {
    return refuse(line, unless(quiet, refusal::kBadFormat));
  }
  Parsed parsed = accept_key(line, key, quiet);
  // Newer servers take such a key for the word where it comes last, and do not answer, which would
  // shift all replies behind.
  if (is_noreply(key) && second != "0") {
    parsed.request.line = quiet ? "delete noreply 0 noreply" : "delete noreply 0";
  }
  return parsed;
}

}  // namespace mcsteady::protocol::text
