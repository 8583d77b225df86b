#include "protocol/text/text.h"

namespace mcsteady::protocol::text {

Parsed parse_retrieval(CommandLine line, const Limits& limits) {
  Words& words = line.arguments;
  const bool touches = line.verb == Verb::Gat || line.verb == Verb::Gats;
  const std::string_view exptime = touches ? words.next() : std::string_view{};
  const std::string_view first = words.next();
  const bool has_words = touches ? !exptime.empty() : !first.empty();
  if (!has_words) return refuse(line, refusal::kError);
  if (touches && !is_exptime(exptime)) return refuse(line, refusal::kBadExptime);
  if (first.empty()) return refuse(line, refusal::kNoItems);

  std::string_view last = first;
  std::size_t count = 1;
  bool too_long = first.size() > limits.key_max.value;
  for (std::string_view key = words.next(); !key.empty(); key = words.next()) {
    too_long |= key.size() > limits.key_max.value;
    last = key;
    ++count;
  }
  if (count > limits.get_keys_max) return refuse(line, refusal::kTooManyKeys);
  if (too_long || words.saw_control()) return refuse(line, refusal::kBadFormat);

  Parsed parsed = accept(line);
  const char* const begin = first.data();
  const char* const end = last.data() + last.size();
  parsed.request.keys = {begin, static_cast<std::size_t>(end - begin)};
  parsed.request.several_keys = count > 1;
  parsed.request.exptime = exptime;
  return parsed;
}

}  // namespace mcsteady::protocol::text
