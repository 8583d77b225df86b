#include "mcsteady/protocol/addition.h"

namespace mcsteady::protocol {

namespace {
Addition classic_addition(std::string_view key, const ReplyLine& hit, std::size_t size,
                          const std::string& ttl) {
  KeyWalker words(hit.line);
  words.next();  // VALUE
  words.next();  // the key
  std::string line = "add ";
  line.append(key).append(" ").append(words.next()).append(" ").append(ttl).append(" ");
  return {.verb = Verb::Add, .line = line.append(std::to_string(size)).append("\r\n")};
}

std::optional<Addition> meta_addition(std::string_view command, std::string_view key,
                                      const ReplyLine& hit, std::size_t size,
                                      const std::string& ttl) {
  std::string_view flags;
  KeyWalker words(hit.line.substr(0, hit.line.find('\r')));
  words.next();  // VA
  words.next();  // the size
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word.front() == 'f') flags = word.substr(1);
    if (word == "X" || word == "Z") return std::nullopt;
  }
  if (flags.empty()) return std::nullopt;
  std::string line = "ms ";
  line.append(key).append(" ").append(std::to_string(size)).append(" ME T").append(ttl);
  line.append(" F").append(flags);
  KeyWalker asked(command.substr(0, command.find('\r')));
  asked.next();  // mg
  asked.next();  // the key
  for (std::string_view word = asked.next(); !word.empty(); word = asked.next()) {
    if (word.front() == 'b') line += " b";
  }
  return Addition{.verb = Verb::MetaSet, .line = line.append("\r\n")};
}
}  // namespace

std::optional<Addition> addition_of(Verb verb, std::string_view command, std::string_view key,
                                    const ReplyLine& hit, std::chrono::seconds ttl) {
  if (!hit.value_size) return std::nullopt;
  const std::string seconds = std::to_string(ttl.count());
  if (is_classic_retrieval(verb)) return classic_addition(key, hit, *hit.value_size, seconds);
  if (verb != Verb::MetaGet) return std::nullopt;
  return meta_addition(command, key, hit, *hit.value_size, seconds);
}

}  // namespace mcsteady::protocol
