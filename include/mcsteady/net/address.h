#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/base/result.h"

namespace mcsteady::net {

/// A place to listen on or to connect to, as it is written: `host:port`, `[v6]:port`,
/// `unix:/path`, `unix:@abstract`, and `/path` for short. The host may be a name; resolving it is
/// another matter.
struct Endpoint {
  std::string host;        // empty for a unix socket; without brackets
  std::uint16_t port = 0;  // 0 for a unix socket
  std::string unix_path;   // empty for TCP; "@name" is the abstract namespace

  bool is_unix() const { return !unix_path.empty(); }
  /// As it is written; `/path` without "unix:".
  std::string text() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// The error is a sentence that says what would be right.
Result<Endpoint, std::string> parse_endpoint(std::string_view text);

/// A numeric address that a socket call takes: a sockaddr in a value type.
struct Address {
  alignas(8) unsigned char storage[128] = {};
  std::uint32_t size = 0;
  int family = 0;  // AF_INET, AF_INET6 or AF_UNIX
  std::string text() const;
  friend bool operator==(const Address&, const Address&) = default;
};

/// The address of an endpoint that needs no look-up: a numeric host or a unix path.
std::optional<Address> numeric_address(const Endpoint& endpoint);

/// Every address of an endpoint, at least one, in the order in which they are to be tried. Blocks
/// in getaddrinfo: for start-up and for the main thread, never for an event loop.
Result<std::vector<Address>, std::string> resolve_all_blocking(const Endpoint& endpoint);
/// The first of them.
Result<Address, std::string> resolve_blocking(const Endpoint& endpoint);

}  // namespace mcsteady::net
