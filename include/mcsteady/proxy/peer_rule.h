#pragma once

#include <algorithm>
#include <vector>

#include "mcsteady/net/peer.h"

namespace mcsteady::proxy {

/// Which users and groups a listener serves. One match is enough: a user that is named, or a group
/// that is named and that the peer is in, be it by a supplementary one. Nobody named: everybody.
struct PeerRule {
  std::vector<uid_t> uids{};
  std::vector<gid_t> gids{};

  bool is_open() const { return uids.empty() && gids.empty(); }
  bool admits(const net::Peer& peer) const {
    const auto is_named = [&](gid_t gid) { return std::ranges::find(gids, gid) != gids.end(); };
    return is_open() || std::ranges::find(uids, peer.uid) != uids.end() || is_named(peer.gid) ||
           std::ranges::any_of(peer.groups, is_named);
  }
};

}  // namespace mcsteady::proxy
