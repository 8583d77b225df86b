#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// Paul Hsieh's SuperFastHash as twemproxy and libhashkit have it: it starts at 0, not at the
/// length, and the last byte of a tail of three enters sign-extended.
std::uint32_t hsieh(std::string_view bytes);

}  // namespace mcsteady::placement
