#pragma once

#include <string>

#include "mcsteady/base/result.h"

namespace mcsteady::config {

/// No file that we read is larger; of one that is, a byte more than this is read.
inline constexpr std::size_t kFileMax = std::size_t{1} << 20;  // bytes

/// The error is what the system says.
Result<std::string, std::string> read_file(const std::string& path);

}  // namespace mcsteady::config
