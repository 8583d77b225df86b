#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace mcsteady::net {

/// The name that a listening unix socket has in the file system. Taken away with its owner, if it
/// still is the one that was made: another process may have put its own in the place.
class UnixSocketFile {
 public:
  UnixSocketFile() = default;
  /// `path` was bound a moment ago; empty for none.
  explicit UnixSocketFile(std::string path);
  UnixSocketFile(UnixSocketFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}
  UnixSocketFile& operator=(UnixSocketFile&&) = delete;
  ~UnixSocketFile();

  /// Removes the file of a socket that nobody listens on any more. False where `path` is something
  /// else: a live socket, or no socket at all.
  static bool remove_stale(const std::string& path);

 private:
  std::string path_;  // empty: there is none
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace mcsteady::net
