#pragma once

#include <map>
#include <string>
#include <vector>

#include "mcsteady/base/log.h"
#include "mcsteady/config/tls_use.h"
#include "mcsteady/metrics/metrics.h"
#include "mcsteady/metrics/registry.h"

namespace mcsteady {

/// Keeps certificates and keys as their files say. What is broken leaves what was there in use. By
/// looking, as CredentialFiles do. Thread: the main thread's.
class TlsFiles {
 public:
  /// The contexts have been loaded a moment ago, and outlive this.
  TlsFiles(const std::vector<config::TlsUse>& uses, Log& log, metrics::Registry& registry);

  bool empty() const { return entries_.empty(); }
  /// Loads those whose files are not what they were at the last look.
  void look();
  void load_all();

 private:
  struct Entry {
    net::TlsContext* context;
    std::string owner;
    std::string seen;  // what the files were
  };

  static std::string state_of(const net::TlsContext& context);
  void load(Entry& entry);
  void note_expiry();

  Log& log_;
  std::vector<Entry> entries_;
  metrics::Counter reloads_, failures_;
  metrics::Gauge days_left_;
  bool warned_ = false;
};

}  // namespace mcsteady
