#pragma once

#include <compare>
#include <cstdint>

namespace mcsteady {

/// A number of bytes in an option or a contract, where a bare number would not say its unit.
struct ByteCount {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(ByteCount, ByteCount) = default;
};

constexpr ByteCount KiB(std::uint64_t count) {
  return ByteCount{count * 1024};
}
constexpr ByteCount MiB(std::uint64_t count) {
  return ByteCount{count * 1024 * 1024};
}

}  // namespace mcsteady
