#pragma once

namespace mcsteady::net {

/// A request and its reply are smaller than a segment and must not wait for one another.
void set_accepted_tcp_options(int socket);
/// The same, and keep-alive: a server that is gone without a word is found out while its connection
/// is idle.
void set_outgoing_tcp_options(int socket);

/// setsockopt for the options that are an int. False: errno says why.
bool set_option(int socket, int level, int option, int value);

}  // namespace mcsteady::net
