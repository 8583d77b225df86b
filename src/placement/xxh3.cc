#include "placement/xxh3.h"

#include "mcsteady/placement/placement.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mcsteady::placement {

std::uint64_t xxh3(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t seed_of(std::string_view text) {
  return xxh3(text);
}

}  // namespace mcsteady::placement
