#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// The first four bytes of the SHA-1 (RFC 3174) of `bytes`, big-endian: what a point of Dalli's
/// ring is. For placing only, nothing that must be safe.
std::uint32_t sha1_start(std::string_view bytes);

}  // namespace mcsteady::placement
