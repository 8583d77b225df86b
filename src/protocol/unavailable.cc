#include <optional>

#include "mcsteady/protocol/reply.h"
#include "protocol/meta/flags.h"

namespace mcsteady::protocol {
namespace {

struct Miss {
  ReplyCode code;
  std::string_view word;
};

/// What says "it is not there" or "it was not done" to the verb's clients, if there is such a word.
std::optional<Miss> miss_of(Verb verb) {
  switch (verb) {
    case Verb::Get:
    case Verb::Gets:
    case Verb::Gat:
    case Verb::Gats:
      return Miss{ReplyCode::End, "END"};
    case Verb::MetaGet:
    case Verb::MetaDebug:
      return Miss{ReplyCode::MetaMiss, "EN"};
    case Verb::MetaSet:
      return Miss{ReplyCode::MetaNotStored, "NS"};
    case Verb::MetaDelete:
    case Verb::MetaArithmetic:
      return Miss{ReplyCode::MetaNotFound, "NF"};
    default:
      return std::nullopt;
  }
}

/// The flags that memcached repeats in a reply without an item: O as it came, and the key for k,
/// followed by b where the key is base64.
void echo_flags(Verb verb, std::string_view command, std::string& out) {
  Words head(command);
  head.next();
  const std::string_view key = head.next();
  const Words flags = meta::flag_words(command, verb == Verb::MetaSet);
  bool base64 = false;
  Words words = flags;
  for (std::string_view flag = words.next(); !flag.empty(); flag = words.next()) {
    base64 |= flag.front() == 'b';
  }
  words = flags;
  for (std::string_view flag = words.next(); !flag.empty(); flag = words.next()) {
    if (flag.front() == 'O') out.append(" ").append(flag);
    if (flag.front() == 'k') out.append(" k").append(key).append(base64 ? " b" : "");
  }
}

}  // namespace

void compose_unavailable(Verb verb, bool quiet, std::string_view command, DownPolicy policy,
                         std::string_view why, std::string& out) {
  const std::optional<Miss> miss = miss_of(verb);
  if (is_withheld(verb, quiet, miss ? miss->code : ReplyCode::ServerError)) return;
  if (!miss || (policy == DownPolicy::Error && !quiet)) {
    out.append("SERVER_ERROR ").append(why).append("\r\n");
    return;
  }
  out.append(miss->word);
  if (command.ends_with("\r\n")) command.remove_suffix(2);
  if (is_meta(verb) && verb != Verb::MetaDebug) echo_flags(verb, command, out);
  out.append("\r\n");
}

void compose_nothing(Verb verb, std::string_view command, std::string& out) {
  if (is_classic_storage(verb)) {
    out.append(verb == Verb::Cas ? "NOT_FOUND\r\n" : "NOT_STORED\r\n");
  } else if (is_meta(verb) || is_classic_retrieval(verb)) {
    compose_unavailable(verb, false, command, DownPolicy::Miss, {}, out);
  } else {
    out.append("NOT_FOUND\r\n");
  }
}

}  // namespace mcsteady::protocol
