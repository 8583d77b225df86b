#pragma once

#include <string_view>

#include "mcsteady/protocol/reply.h"

namespace mcsteady::upstream {

/// Whether a meta reply may be the one to `command`: an opaque or a key that it carries is that of
/// the command. Not told of a key in base64, which a server may write otherwise than it was asked.
/// Source: memcached doc/protocol.txt, meta flags O, k and b.
bool may_answer(std::string_view command, const protocol::ReplyLine& reply);

}  // namespace mcsteady::upstream
