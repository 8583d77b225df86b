#pragma once

namespace mcsteady {

// As in sysexits.h.
inline constexpr int kExitUsage = 64;
inline constexpr int kExitNoInput = 66;
inline constexpr int kExitConfig = 78;

}  // namespace mcsteady
