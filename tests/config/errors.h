#pragma once

#include <string>
#include <string_view>

#include "mcsteady/config/config.h"

namespace mcsteady::config {

/// What parse_config() finds wrong, a line an error; empty: nothing.
inline std::string errors_in(std::string_view yaml) {
  const auto config = parse_config(yaml, "f");
  std::string lines;
  if (config) return lines;
  for (const ConfigError& error : config.error()) lines += error.text() + "\n";
  return lines;
}

/// The same for a file whose only fault is somewhere in `rest`: a pool is put in front, on line 1.
inline std::string errors_behind_a_pool(const std::string& rest) {
  return errors_in("pools: { main: { servers: [a:1] } }\n" + rest);
}

/// The same for keys of a pool, in flow style: they begin in column 36 of line 1.
inline std::string errors_in_pool(const std::string& keys) {
  return errors_in("pools: { main: { servers: [ a:1 ], " + keys + " } }");
}

/// The same for the list of servers: it begins in column 27 of line 1.
inline std::string errors_in_servers(const std::string& list) {
  return errors_in("pools: { main: { servers: " + list + " } }");
}

}  // namespace mcsteady::config
