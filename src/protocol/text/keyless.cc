#include "protocol/text/text.h"

namespace mcsteady::protocol::text {
namespace {

/// flush_all [exptime] [noreply], verbosity <level> [noreply]. Empty: good.
std::string_view fault_of(Verb verb, std::string_view number, bool only_noreply) {
  if (verb == Verb::Verbosity) {
    return parse_unsigned<std::uint32_t>(number) ? std::string_view{} : refusal::kBadFormat;
  }
  const bool good = number.empty() || only_noreply || is_exptime(number);
  return good ? std::string_view{} : refusal::kBadExptime;
}

Parsed parse_number_or_noreply(CommandLine line) {
  Words& words = line.arguments;
  const std::string_view first = words.next();
  const std::string_view second = words.next();
  const bool too_many = words.skip_rest() != 0;
  const bool too_few = line.verb == Verb::Verbosity && first.empty();
  if (too_few || too_many) return refuse(line, refusal::kError);

  const bool quiet = is_noreply(second.empty() ? first : second);
  const bool only_noreply = quiet && second.empty();
  std::string_view fault = fault_of(line.verb, first, only_noreply);
  if (fault.empty() && words.saw_control()) fault = refusal::kBadFormat;
  if (!fault.empty()) return refuse(line, quiet ? std::string_view{} : fault);
  Parsed parsed = accept(line);
  parsed.request.quiet = quiet;
  return parsed;
}

}  // namespace

Parsed parse_keyless(CommandLine line) {
  if (line.verb == Verb::Verbosity || line.verb == Verb::FlushAll) {
    return parse_number_or_noreply(line);
  }
  line.arguments.skip_rest();
  if (line.arguments.saw_control()) return refuse(line, refusal::kBadFormat);
  return accept(line);
}

}  // namespace mcsteady::protocol::text
