#include "support/source_dir.h"

namespace mcsteady::test {

std::string source_dir() {
  return MCSTEADY_SOURCE_DIR;
}

}  // namespace mcsteady::test
