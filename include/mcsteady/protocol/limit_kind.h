#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// The limits that a request can be over.
enum class LimitKind : std::uint8_t { Key, Line, Value, GetKeys };
inline constexpr std::size_t kLimitKindCount = static_cast<std::size_t>(LimitKind::GetKeys) + 1;

/// Which limit a refused text line was over, for the metrics: memcached's words do not always say
/// that, and to `noreply` they say nothing. Unset: none, it was refused for another reason.
std::optional<LimitKind> limit_passed(std::string_view line, const Refusal& refusal,
                                      const Limits& limits);

}  // namespace mcsteady::protocol
