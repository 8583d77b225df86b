#include "protocol/body_size.h"
#include "protocol/text/text.h"

namespace mcsteady::protocol::text {

Parsed parse_storage(CommandLine line, const Limits& limits) {
  Words& words = line.arguments;
  const std::string_view key = words.next();
  const std::string_view flags = words.next();
  const std::string_view exptime = words.next();
  const std::string_view length = words.next();
  const bool compares = line.verb == Verb::Cas;
  const std::string_view unique = compares ? words.next() : std::string_view{};
  const std::string_view extra = words.next();
  const bool too_many = words.skip_rest() != 0;

  const BodySize body(length);
  const bool too_few = length.empty() || (compares && unique.empty());
  // Told even with `noreply`: memcached counts the words before it looks at them.
  if (too_few || too_many) return refuse(line, body.refusal(refusal::kError));

  // Without its cas unique, a `cas ... noreply` has the word in that place.
  const bool quiet = is_noreply(extra.empty() ? unique : extra);
  // Newer memcacheds tell of an unreadable length even with `noreply`; so does who hangs up for it.
  if (body.is_unreadable()) return refuse(line, body.refusal(refusal::kBadFormat));
  const auto said = [&](std::string_view reply) {
    return body.refusal(quiet ? std::string_view{} : reply);
  };
  const bool numbers_good = parse_unsigned<std::uint32_t>(flags) && is_exptime(exptime) &&
                            (!compares || parse_unsigned<std::uint64_t>(unique));
  const bool key_good = key.size() <= limits.key_max.value && !words.saw_control();
  if (!body.size() || !numbers_good || !key_good) return refuse(line, said(refusal::kBadFormat));
  if (*body.size() > limits.value_max.value) {
    return refuse_value(line, key, said(refusal::kTooLarge));
  }

  Parsed parsed = accept(line);
  parsed.request.keys = key;
  parsed.request.body_size = body.size();
  parsed.request.quiet = quiet;
  return parsed;
}

}  // namespace mcsteady::protocol::text
