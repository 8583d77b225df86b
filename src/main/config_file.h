#pragma once

#include <optional>
#include <string>

#include "mcsteady/config/config.h"

namespace mcsteady {

/// The configuration in the file; unset if it is wrong, and every error has gone to stderr.
std::optional<config::Config> load_or_complain(const std::string& file);

}  // namespace mcsteady
