#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// XXH3, 64 bits (xxHash 0.8), which memcached's proxy hashes keys with.
std::uint64_t xxh3(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace mcsteady::placement
