#include "main/config_file.h"

#include <cstdio>

namespace mcsteady {

std::optional<config::Config> load_or_complain(const std::string& file) {
  auto loaded = config::load_config(file);
  if (loaded) return std::move(*loaded);
  for (const config::ConfigError& error : loaded.error()) {
    std::fprintf(stderr, "%s\n", error.text().c_str());
  }
  return std::nullopt;
}

}  // namespace mcsteady
