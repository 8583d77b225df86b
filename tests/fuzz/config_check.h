#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "mcsteady/config/config.h"

// What must hold for the reader of configurations whatever a file holds. Aborts where it does not,
// so that a fuzzer and a plain test can both run it.
namespace mcsteady::config::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Any bytes are a configuration or a list of errors, each in its place; and what describe() writes
/// of a configuration reads back as that configuration.
inline void check_config_bytes(std::string_view yaml) {
  const auto config = parse_config(yaml, "any.yaml");
  if (config) {
    const std::string description = describe(*config);
    const auto read_back = parse_config(description, "described.yaml");
    require(read_back.has_value() && describe(*read_back) == description);
    return;
  }
  require(!config.error().empty());
  int line = 1;
  for (const ConfigError& error : config.error()) {
    require(error.line >= line && error.column >= 1 && !error.message.empty());
    line = error.line;
  }
}

}  // namespace mcsteady::config::fuzz
