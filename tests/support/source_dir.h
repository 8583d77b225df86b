#pragma once

#include <string>

namespace mcsteady::test {

/// The top of the source tree that the tests were built from: where their data lies.
std::string source_dir();

}  // namespace mcsteady::test
