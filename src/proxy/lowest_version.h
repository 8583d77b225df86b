#pragma once

#include <string_view>

namespace mcsteady::proxy {

/// Whether version `a` is lower than `b`: numbers between dots count as numbers, and what is
/// missing as nothing ("1.6" < "1.6.9" < "1.6.18" < "1.6.18-rc1"). Behind the same numbers any text
/// is the higher one, since builds add theirs.
bool is_lower_version(std::string_view a, std::string_view b);

}  // namespace mcsteady::proxy
