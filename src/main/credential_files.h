#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "mcsteady/base/log.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/proxy/authenticator.h"

namespace mcsteady {

/// Keeps authenticators as their files say. A file that is wrong leaves them as they were. By
/// looking, not by inotify: that would not see a link change further up, which is how Kubernetes
/// replaces a secret. Thread: the main thread's.
class CredentialFiles {
 public:
  /// How often to look().
  static constexpr Duration kInterval = std::chrono::seconds(1);

  CredentialFiles(Log& log, metrics::Registry& registry);

  /// `authenticator` has what the file at `path` held a moment ago; it outlives this.
  void watch(const std::string& path, proxy::Authenticator& authenticator);
  bool empty() const { return files_.empty(); }
  /// Reads the files that are not what they were at the last look.
  void look();
  /// Reads them all.
  void read_all();

 private:
  /// Nothing: no file is there.
  struct Identity {
    dev_t device;
    ino_t number;
    off_t size;
    timespec changed;
  };
  struct File {
    std::string path;
    proxy::Authenticator* authenticator;
    std::optional<Identity> seen;
  };

  static std::optional<Identity> identity_of(const std::string& path);
  static bool is_same(const std::optional<Identity>& one, const std::optional<Identity>& other);
  void read(File& file);

  Log& log_;
  std::vector<File> files_;
  metrics::Counter reloads_, failures_;
};

}  // namespace mcsteady
