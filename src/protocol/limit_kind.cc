#include "mcsteady/protocol/limit_kind.h"

#include "protocol/command_line.h"
#include "protocol/verb.h"

namespace mcsteady::protocol {
namespace {

bool is_key_too_long(std::string_view line, const Limits& limits) {
  Words words(line.substr(0, line.find_last_not_of("\r\n") + 1));
  const auto verb = verb_named(words.next());
  if (!verb) return false;
  if (*verb == Verb::Gat || *verb == Verb::Gats) words.next();
  const bool several = is_classic_retrieval(*verb);
  const bool has_key = several || is_meta(*verb) || is_classic_storage(*verb) ||
                       (*verb >= Verb::Incr && *verb <= Verb::Touch);
  if (!has_key) return false;
  do {
    const std::string_view key = words.next();
    if (key.empty()) return false;
    if (key.size() > limits.key_max.value) return true;
  } while (several);
  return false;
}

}  // namespace

std::optional<LimitKind> limit_passed(std::string_view line, const Refusal& refusal,
                                      const Limits& limits) {
  if (refusal.reply == refusal::kLineTooLong) return LimitKind::Line;
  if (refusal.reply == refusal::kTooManyKeys) return LimitKind::GetKeys;
  if (is_key_too_long(line, limits)) return LimitKind::Key;
  if (refusal.swallow > limits.value_max.value + 2) return LimitKind::Value;
  return std::nullopt;
}

}  // namespace mcsteady::protocol
