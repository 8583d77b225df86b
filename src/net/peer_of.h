#pragma once

#include <optional>

#include "mcsteady/net/peer.h"

namespace mcsteady::net {

/// Unset where `socket` is no connected unix socket.
std::optional<Peer> peer_of(int socket);

}  // namespace mcsteady::net
