#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "mcsteady/protocol/request.h"

namespace mcsteady::protocol {

/// The request that `line` is: the test fails where it is none.
inline Request request_of(std::string_view line, const Limits& limits = {}) {
  const Parsed parsed = parse_request(line, limits);
  EXPECT_EQ(parsed.kind, Parsed::Kind::Request) << line;
  EXPECT_EQ(parsed.consumed, line.size()) << line;
  return parsed.request;
}

/// The refusal that `line` gets: the test fails where it gets none.
inline Refusal refusal_of(std::string_view line, const Limits& limits = {}) {
  const Parsed parsed = parse_request(line, limits);
  EXPECT_EQ(parsed.kind, Parsed::Kind::Refusal) << line;
  EXPECT_EQ(parsed.consumed, line.size()) << line;
  return parsed.refusal;
}

inline std::string command_of(std::string_view line) {
  const Request request = request_of(line);
  std::string out(request.line.size() + 2, '\0');
  out.resize(compose_command(request, out.data()));
  return out;
}

inline constexpr std::string_view kError = "ERROR\r\n";
inline constexpr std::string_view kBadFormat = "CLIENT_ERROR bad command line format\r\n";

}  // namespace mcsteady::protocol
