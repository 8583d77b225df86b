#include "main/tls_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace mcsteady {

namespace {
constexpr std::int64_t kDaysToWarn = 14;
}

TlsFiles::TlsFiles(const std::vector<config::TlsUse>& uses, Log& log, metrics::Registry& registry)
    : log_(log) {
  registry.add({"tls_reloads", ""}, reloads_);
  registry.add({"tls_reload_failures", ""}, failures_);
  if (!uses.empty()) registry.add({"tls_days_left", ""}, days_left_);
  for (const config::TlsUse& use : uses) {
    use.context->register_in(registry, use.owner);
    entries_.push_back({use.context.get(), use.owner, state_of(*use.context)});
  }
  note_expiry();
}

void TlsFiles::look() {
  for (Entry& entry : entries_) {
    if (state_of(*entry.context) != entry.seen) load(entry);
  }
  if (!entries_.empty()) note_expiry();
}

void TlsFiles::load_all() {
  for (Entry& entry : entries_) load(entry);
}

std::string TlsFiles::state_of(const net::TlsContext& context) {
  std::string state;
  for (const std::string& path : context.files()) {
    struct stat found{};
    if (stat(path.c_str(), &found) != 0) found = {};
    for (const auto part :
         {static_cast<long long>(found.st_dev), static_cast<long long>(found.st_ino),
          static_cast<long long>(found.st_size), static_cast<long long>(found.st_mtim.tv_sec),
          static_cast<long long>(found.st_mtim.tv_nsec)}) {
      state += std::to_string(part) + ' ';
    }
  }
  return state;
}

void TlsFiles::load(Entry& entry) {
  entry.seen = state_of(*entry.context);  // before they are read: what changes from then on is seen
  if (const auto loaded = entry.context->load(); !loaded) {
    failures_.add();
    log_.error("certificates cannot be used, the former ones stay",
               {{"of", entry.owner},
                {"option", loaded.error().option},
                {"error", loaded.error().message}});
    return;
  }
  reloads_.add();
  warned_ = false;
  log_.info("certificates loaded again", {{"of", entry.owner}});
}

/// The metric is of the one that expires first.
void TlsFiles::note_expiry() {
  std::optional<std::chrono::sys_seconds> first;
  std::string owner;
  for (const Entry& entry : entries_) {
    const auto expires = entry.context->expires();
    if (!expires || (first && *expires >= *first)) continue;
    first = expires;
    owner = entry.owner;
  }
  if (!first) return;
  const auto left = *first - std::chrono::system_clock::now();
  const std::int64_t days = std::chrono::floor<std::chrono::days>(left).count();
  days_left_.set(days);
  if (days >= kDaysToWarn || std::exchange(warned_, true)) return;
  if (left < left.zero()) {
    log_.error("a certificate of ours has expired", {{"of", owner}, {"days_ago", -days - 1}});
  } else {
    log_.warn("a certificate of ours expires soon", {{"of", owner}, {"days", days}});
  }
}

}  // namespace mcsteady
