#pragma once

#include <cstdint>
#include <string_view>

#include "mcsteady/placement/options.h"

namespace mcsteady::placement {

/// A hash to be called by its number. A ring uses the low 32 bits, which is all there is of most.
class Hasher {
 public:
  explicit Hasher(Hash hash, std::uint64_t seed = 0);
  std::uint64_t operator()(std::string_view bytes) const { return function_(bytes, seed_); }

 private:
  using Function = std::uint64_t (*)(std::string_view bytes, std::uint64_t seed);
  static Function function_of(Hash hash);

  Function function_;
  std::uint64_t seed_;
};

}  // namespace mcsteady::placement
