#include "main/credential_files.h"

#include "mcsteady/config/credentials.h"

namespace mcsteady {

CredentialFiles::CredentialFiles(Log& log, metrics::Registry& registry) : log_(log) {
  registry.add({"auth_reloads", ""}, reloads_);
  registry.add({"auth_reload_failures", ""}, failures_);
}

void CredentialFiles::watch(const std::string& path, proxy::Authenticator& authenticator) {
  files_.push_back({path, &authenticator, std::nullopt});
}

void CredentialFiles::look() {
  for (File& file : files_) {
    if (!is_same(identity_of(file.path), file.seen)) read(file);
  }
}

void CredentialFiles::read_all() {
  for (File& file : files_) read(file);
}

std::optional<CredentialFiles::Identity> CredentialFiles::identity_of(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino, found.st_size, found.st_mtim};
}

bool CredentialFiles::is_same(const std::optional<Identity>& one,
                              const std::optional<Identity>& other) {
  if (!one || !other) return !one && !other;
  return one->device == other->device && one->number == other->number && one->size == other->size &&
         one->changed.tv_sec == other->changed.tv_sec &&
         one->changed.tv_nsec == other->changed.tv_nsec;
}

void CredentialFiles::read(File& file) {
  file.seen = identity_of(file.path);  // before it is read: what changes from then on is seen
  auto credentials = config::load_credentials(file.path);
  if (!credentials) {
    failures_.add();
    log_.error(
        "credentials cannot be used, the former ones stay",
        {{"error", credentials.error().front().text()}, {"errors", credentials.error().size()}});
    return;
  }
  const std::size_t users = credentials->users.size();
  if (!file.authenticator->replace(std::move(*credentials))) return;
  reloads_.add();
  log_.info("credentials replaced", {{"file", file.path}, {"users", users}});
}

}  // namespace mcsteady
