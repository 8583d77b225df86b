#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/items.h"

namespace mcsteady::bench {

struct CheckCounts {
  std::uint64_t values = 0;
  std::uint64_t values_compared = 0;  // byte by byte
  std::uint64_t misses = 0;
  std::uint64_t errors = 0;  // error lines
  std::string first_error;
};

/// Cuts one connection's replies and holds them against what was asked. The length and the end of
/// every value are checked, and all its bytes in one of `compare_every` values. A wrong value ends
/// the program: no figure is worth having from a proxy that mixes up replies.
class ReplyCheck {
 public:
  ReplyCheck(const Items& items, std::uint64_t compare_every, CheckCounts& counts)
      : items_(items), compare_every_(compare_every), counts_(counts) {}

  /// Takes bytes off the front of `input`, up to the end of the first operation that they complete.
  /// False: they complete none, and all are taken.
  bool take_operation(std::string_view& input);

 private:
  bool take_line(std::string_view line);
  void begin_value(std::string_view key, std::string_view size);
  void take_value(std::string_view& input);
  bool end_operation();
  [[noreturn]] void fail_at(std::string_view what, std::string_view line) const;

  const Items& items_;
  const std::uint64_t compare_every_;
  CheckCounts& counts_;
  std::string cut_line_;       // the part of a line that came first
  std::size_t body_left_ = 0;  // bytes of a value and its CRLF that are still to come
  std::size_t body_key_ = 0;
  bool comparing_ = false;
  bool value_ends_operation_ = false;
  std::size_t values_seen_ = 0;  // of this operation
};

}  // namespace mcsteady::bench
