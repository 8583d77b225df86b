#include "net/peer_of.h"

#include <sys/socket.h>

#include <cerrno>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59  // Linux 4.13; glibc 2.36 leaves it to the kernel's headers
#endif

namespace mcsteady::net {
namespace {

/// None where the kernel does not tell.
std::vector<gid_t> groups_of(int socket) {
  std::vector<gid_t> groups(32);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const bool told = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0;
    if (!told && errno != ERANGE) break;
    groups.resize(size / sizeof(gid_t));  // after ERANGE: as many as there are
    if (told) return groups;
  }
  return {};
}

}  // namespace

std::optional<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  // What the kernel says of a socket that has no such peer, a TCP one among them.
  if (credentials.pid == 0 && credentials.uid == static_cast<uid_t>(-1)) return std::nullopt;
  return Peer{.uid = credentials.uid, .gid = credentials.gid, .groups = groups_of(socket)};
}

}  // namespace mcsteady::net
