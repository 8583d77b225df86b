#pragma once

#include "config/section.h"
#include "mcsteady/net/address.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/proxy/peer_rule.h"

namespace mcsteady::config {

/// `owner` and `group` of a listener: whose the file of its unix socket is.
void read_owner(Section& listener, net::ListenOptions& options);

/// `peers` of a listener at `endpoint`: { uid: [...], gid: [...] }, numbers or names that this
/// system knows. Only a unix socket has peers that anybody can vouch for.
proxy::PeerRule read_peers(Section& listener, const net::Endpoint& endpoint, ErrorList& errors);

}  // namespace mcsteady::config
