#pragma once

namespace mcsteady::config {

/// A place in a file. Both count from 1.
struct Mark {
  int line = 1;
  int column = 1;
};

}  // namespace mcsteady::config
