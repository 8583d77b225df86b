#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/clock.h"
#include "mcsteady/base/log.h"
#include "mcsteady/base/result.h"
#include "mcsteady/config/tls_use.h"
#include "mcsteady/discovery/options.h"
#include "mcsteady/net/resolver.h"
#include "mcsteady/proxy/credentials.h"
#include "mcsteady/proxy/options.h"

namespace mcsteady::config {

/// Everything that can be configured, as the rooms want it.
struct Config {
  proxy::WorkerOptions worker;
  /// Who may come in, by the files that listeners name. parse_config() reads no other file.
  std::map<std::string, proxy::Credentials> credentials;
  std::vector<TlsUse> tls;  // load_config() has loaded them
  int workers = 1;
  std::string io = "auto";  // auto, epoll, poll, select
  ByteCount memory_max = MiB(256);
  LogOptions log;
  net::ResolverOptions resolver;
  discovery::TtlLimits ttl_limits;
  Duration metrics_interval = std::chrono::seconds(60);  // 0: no metrics line
};

/// One thing wrong in a file. Lines and columns count from 1.
struct ConfigError {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;       // what is wrong and what would be right, in one sentence
  std::string text() const;  // file:line:column: message
};

/// Reads YAML in the shape of config/mcsteady.full.yaml. Every error at once, in the order of the
/// file. `file` is for messages only.
Result<Config, std::vector<ConfigError>> parse_config(std::string_view yaml,
                                                      const std::string& file);

/// The same from a file, and from those that it names; one that cannot be read is an error at 1:1.
Result<Config, std::vector<ConfigError>> load_config(const std::string& path);

/// What runs without a file: 127.0.0.1:11211 in front of one server at 127.0.0.1:11212.
Config default_config();

/// What would run, for --check: a few lines for a person, with every default spelt out.
std::string describe(const Config& config);

}  // namespace mcsteady::config
