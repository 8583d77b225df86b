#pragma once

#include <cstddef>
#include <future>
#include <string>
#include <vector>

#include "mcsteady/base/clock.h"
#include "mcsteady/base/log.h"
#include "mcsteady/net/address.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady {

/// Finds the addresses of servers that are given by name, off the main thread: a resolver that
/// hangs for half a minute must not make us deaf to signals for as long. Thread: the main thread's.
class NameLookup {
 public:
  NameLookup(upstream::Fleet& fleet, Log& log) : fleet_(fleet), log_(log) {}

  /// Numeric addresses are set at once; for names that have none yet a look-up is started, unless
  /// one is under way.
  void start();
  /// Takes what was found, waiting for it at most so long. Names that were not found are logged.
  void collect(Duration at_most);
  bool under_way() const { return found_.valid(); }
  bool all_found() const;

 private:
  using Found = Result<std::vector<net::Address>, std::string>;

  upstream::Fleet& fleet_;
  Log& log_;
  std::vector<upstream::SharedServer*> asked_;
  std::future<std::vector<Found>> found_;  // in the order of `asked_`
};

}  // namespace mcsteady
