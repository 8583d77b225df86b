#pragma once

#include "mcsteady/protocol/request.h"
#include "protocol/command_line.h"

// The classic commands, a family a file. Source: memcached doc/protocol.txt, checked against
// memcached 1.6.18 where the page is silent.
namespace mcsteady::protocol::text {

/// get, gets, gat, gats. One bad key refuses the line: a server that meets it drops the replies of
/// earlier commands of the same pipeline.
Parsed parse_retrieval(CommandLine line, const Limits& limits);
/// set, add, replace, append, prepend, cas.
Parsed parse_storage(CommandLine line, const Limits& limits);
/// incr, decr, touch: a key and a number.
Parsed parse_number_command(CommandLine line, const Limits& limits);
Parsed parse_delete(CommandLine line, const Limits& limits);
/// version, verbosity, flush_all, stats, quit.
Parsed parse_keyless(CommandLine line);

}  // namespace mcsteady::protocol::text
