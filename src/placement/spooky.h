#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// The low half of the first word of Bob Jenkins' SpookyHash V2, both seeds `seed`.
std::uint32_t spooky32(std::string_view bytes, std::uint32_t seed);

}  // namespace mcsteady::placement
