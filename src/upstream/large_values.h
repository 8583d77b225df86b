#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mcsteady/base/byte_count.h"

namespace mcsteady::upstream {

/// Which keys are likely to have a large value: those that begin like one that had. How a key
/// begins is all up to its last separator (one of :/.-_|), or all of it where it has none, digits
/// left out: "page:17:html" begins as "page:21:css" does. A guess, and a wrong one costs a little
/// time. Takes no memory until a large value has been seen. Pure. Owner: Server.
class LargeValues {
 public:
  /// `over`: a value of more bytes is large.
  explicit LargeValues(ByteCount over) : over_(over.value) {}

  /// The value of `key` has that size. A beginning is forgotten after some twenty small values.
  void learn(std::string_view key, std::size_t size);
  bool is_likely(std::string_view key) const;
  /// True: nothing is likely.
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::uint64_t beginning = 0;  // its hash
    std::size_t size = 0;         // the largest of late; 0: a free entry
  };

  const std::size_t over_;
  std::vector<Entry> entries_;  // by hash; the later of two in one place stays
};

}  // namespace mcsteady::upstream
