#pragma once

#include <string_view>

#include "mcsteady/protocol/reply.h"
#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// Whether one reply serves all who ask for just this (`command` as compose_command() writes it):
/// it reads one item, changes nothing of it, and tells nothing of when it was read. So get, gets,
/// and mg with no flag that touches, creates or takes the right to renew (N, R, T, E), or tells of
/// the last access (h, l).
/// Source: doc/protocol.txt, "Meta Get".
bool may_be_shared(Verb verb, std::string_view command);

/// Whether the reply gives whoever has it the right to renew the item (flag W), which one alone may
/// have.
bool gives_renewal(const ReplyLine& line);

}  // namespace mcsteady::protocol
