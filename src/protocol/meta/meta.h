#pragma once

#include "mcsteady/protocol/request.h"
#include "protocol/command_line.h"

// The meta commands. Source: memcached doc/protocol.txt, "Meta Commands". Flags are passed on
// unread, but for what a server would answer out of step or what we take off on the way up.
namespace mcsteady::protocol::meta {

/// mg, md, ma.
Parsed parse_keyed(CommandLine line, const Limits& limits);
Parsed parse_set(CommandLine line, const Limits& limits);
Parsed parse_debug(CommandLine line, const Limits& limits);
Parsed parse_noop(CommandLine line);

}  // namespace mcsteady::protocol::meta
