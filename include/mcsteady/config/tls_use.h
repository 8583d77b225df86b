#pragma once

#include <map>
#include <memory>
#include <string>

#include "mcsteady/net/tls.h"

namespace mcsteady::config {

/// A place in a file. Both count from 1.
struct Mark {
  int line = 1;
  int column = 1;
};

/// A `tls` section of the file, and where it says what.
struct TlsUse {
  std::shared_ptr<net::TlsContext> context;
  std::string owner{};  // the pool's name, or the listener's address
  Mark section{};
  std::map<std::string, Mark> options{};
};

}  // namespace mcsteady::config
