#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/rng.h"
#include "support/tls_peer.h"
#include "upstream/reader_cases.h"

namespace mcsteady::upstream {

/// A case as its bytes are on the wire: as they are, or in records.
struct Wire {
  std::string bytes;
  std::size_t sent = 0;                  // how much of them before the end of the case
  std::vector<std::size_t> record_ends;  // none: plain
  std::string last_words;                // before the socket is closed

  static Wire plain(const ReaderCase& drawn) { return {drawn.bytes, drawn.sent, {}, {}}; }
  /// Cut into records at random. The end of the case may come within a record.
  static Wire sealed(const ReaderCase& drawn, test::TlsPeer& peer, test::Rng& rng,
                     Coverage& coverage);
};

}  // namespace mcsteady::upstream
