#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "mcsteady/protocol/reply.h"
#include "support/rng.h"

namespace mcsteady::upstream {

/// How often each kind of thing was drawn, over all cases.
using Coverage = std::map<std::string, std::size_t>;

/// Where a value stands in the bytes of a case.
struct ValuePlace {
  std::size_t begin;       // of its line
  std::size_t body_begin;  // behind the line
  std::size_t end;         // behind its CRLF
};

/// What a server sends to some requests, and how it ends.
struct ReaderCase {
  enum class Ending { Whole, Closed, Stalled };

  struct Request {
    std::string command;
    protocol::ReplyShape shape;
    bool given_up = false;  // at some moment
  };
  std::vector<Request> requests;
  std::string bytes;  // all replies
  std::vector<ValuePlace> values;
  Ending ending = Ending::Whole;
  std::size_t sent = 0;  // how much of `bytes` is sent before the end
  std::size_t value_max = 0;
  std::size_t piece_max = 0;  // bytes written at once

  /// Counts what it drew in `coverage`.
  static ReaderCase draw(test::Rng& rng, Coverage& coverage);

 private:
  void add_request(test::Rng& rng, Coverage& coverage);
  void add_value(const std::string& line, test::Rng& rng, Coverage& coverage);
};

}  // namespace mcsteady::upstream
