#include "mcsteady/protocol/reply.h"

namespace mcsteady::protocol {

bool is_withheld(Verb verb, bool quiet, ReplyCode code) {
  if (!quiet) return false;
  switch (verb) {
    // Meta: the q flag hides the one nominal reply of each command. Errors are always told.
    case Verb::MetaGet:
      return code == ReplyCode::MetaMiss;
    case Verb::MetaSet:
    case Verb::MetaDelete:
      return code == ReplyCode::MetaHeader || code == ReplyCode::Ok;
    case Verb::MetaArithmetic:
      return code == ReplyCode::MetaHeader || code == ReplyCode::MetaValue || code == ReplyCode::Ok;
    case Verb::MetaDebug:
    case Verb::MetaNoop:
      return false;
    // Classic: `noreply` hides errors too, also "object too large" and "bad data chunk": a client
    // that reads nothing back would take the line for the reply to its next command.
    default:
      return true;
  }
}

}  // namespace mcsteady::protocol
