#include "mcsteady/protocol/sharing.h"

namespace mcsteady::protocol {

namespace {
constexpr std::string_view kHarmless = "bcfkOqstv";
}  // namespace

bool may_be_shared(Verb verb, std::string_view command) {
  if (verb == Verb::Get || verb == Verb::Gets) return true;
  if (verb != Verb::MetaGet) return false;
  KeyWalker words(command.substr(0, command.find('\r')));
  words.next();  // mg
  words.next();  // the key
  for (std::string_view flag = words.next(); !flag.empty(); flag = words.next()) {
    if (kHarmless.find(flag.front()) == std::string_view::npos) return false;
  }
  return true;
}

bool gives_renewal(const ReplyLine& line) {
  if (line.code != ReplyCode::MetaValue && line.code != ReplyCode::MetaHeader) return false;
  KeyWalker words(line.line.substr(0, line.line.find('\r')));
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "W") return true;
  }
  return false;
}

}  // namespace mcsteady::protocol
