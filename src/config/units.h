#pragma once

#include <string>
#include <string_view>

#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/clock.h"
#include "mcsteady/base/result.h"

namespace mcsteady::config {

/// "250ms": a whole number and one of ns us ms s m h; also "0" alone. At most a day. The error is
/// a sentence that says what would be right.
Result<Duration, std::string> parse_duration(std::string_view text);
/// "8MiB": a whole number and one of B KiB MiB GiB. At most 1024 GiB.
Result<ByteCount, std::string> parse_size(std::string_view text);

/// In the largest unit that needs no fraction: "30s", "1500ms", "0s".
std::string to_text(Duration duration);
std::string to_text(ByteCount size);

}  // namespace mcsteady::config
