#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// Bob Jenkins' lookup3, hashlittle(), started with 13 as libhashkit and twemproxy start it.
std::uint32_t jenkins(std::string_view bytes);

}  // namespace mcsteady::placement
