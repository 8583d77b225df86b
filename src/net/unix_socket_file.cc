#include "net/unix_socket_file.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "mcsteady/net/address.h"
#include "net/handles.h"

namespace mcsteady::net {

UnixSocketFile::UnixSocketFile(std::string path) : path_(std::move(path)) {
  struct stat status{};
  if (lstat(path_.c_str(), &status) != 0) {
    path_.clear();
    return;
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

UnixSocketFile::~UnixSocketFile() {
  struct stat status{};
  if (path_.empty() || lstat(path_.c_str(), &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) unlink(path_.c_str());
}

bool UnixSocketFile::remove_stale(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  if (!S_ISSOCK(status.st_mode)) return false;
  const auto address = numeric_address(Endpoint{.host = {}, .port = 0, .unix_path = path});
  const UniqueFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!probe || !address) return false;
  const auto* to = reinterpret_cast<const sockaddr*>(address->storage);
  // Only a refusal says that nobody listens: EAGAIN is a full backlog, EACCES a live stranger's.
  if (connect(probe.get(), to, address->size) == 0 || errno != ECONNREFUSED) return false;
  return unlink(path.c_str()) == 0;
}

}  // namespace mcsteady::net
