#pragma once

#include <functional>

namespace mcsteady::proxy {

/// Does what would hold up an event loop, one thing after another. Threads: any may submit.
class Background {
 public:
  virtual ~Background() = default;
  /// False, and nothing done: too much waits already.
  virtual bool submit(std::function<void()> work) = 0;
};

}  // namespace mcsteady::proxy
