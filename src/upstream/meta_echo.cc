#include "upstream/meta_echo.h"

#include "mcsteady/protocol/request.h"

namespace mcsteady::upstream {

namespace {
using protocol::KeyWalker;
using protocol::ReplyCode;

std::string_view without_end(std::string_view line) {
  return line.substr(0, line.find('\r'));
}

/// Of the words of a command behind its key.
std::string_view flag_of(KeyWalker flags, char name) {
  std::string_view word = flags.next();
  while (!word.empty() && word.front() != name) word = flags.next();
  return word;
}

bool carries_flags(ReplyCode code) {
  return code >= ReplyCode::MetaValue && code <= ReplyCode::MetaExists;
}
}  // namespace

bool may_answer(std::string_view command, const protocol::ReplyLine& reply) {
  if (!carries_flags(reply.code)) return true;
  KeyWalker echoed(without_end(reply.line));
  echoed.next();  // the code
  if (reply.value_size) echoed.next();
  for (std::string_view word = echoed.next(); !word.empty(); word = echoed.next()) {
    if (word.front() != 'O' && word.front() != 'k') continue;
    KeyWalker flags(without_end(command));
    flags.next();  // the command
    const std::string_view key = flags.next();
    if (word.front() == 'O' && word != flag_of(flags, 'O')) return false;
    if (word.front() == 'k' && word.substr(1) != key && flag_of(flags, 'b').empty()) return false;
  }
  return true;
}

}  // namespace mcsteady::upstream
