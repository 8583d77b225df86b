#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// MD5 (RFC 1321), for placing points on a ring and nothing that must be safe: the digest as four
/// numbers, each from four of its bytes, little-endian, which is how ketama takes them.
std::array<std::uint32_t, 4> md5(std::string_view bytes);

}  // namespace mcsteady::placement
