#pragma once

#include <sys/types.h>

#include <vector>

namespace mcsteady::net {

/// Who is at the other end of a unix socket, as the kernel vouches for it: the process that
/// connected, as it was when it did. Source: unix(7), SO_PEERCRED and SO_PEERGROUPS.
struct Peer {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups{};  // supplementary ones
};

}  // namespace mcsteady::net
