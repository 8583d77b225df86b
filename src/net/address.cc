#include "mcsteady/net/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>

namespace mcsteady::net {
namespace {

static_assert(sizeof(Address::storage) >= sizeof(sockaddr_storage));

constexpr std::size_t kUnixPathMax = sizeof(sockaddr_un::sun_path) - 1;  // unix(7)
constexpr std::size_t kHostMax = 253;                                    // RFC 1035, 2.3.4

Unexpected<std::string> refuse(std::string_view text, const std::string& why) {
  return Unexpected{"'" + std::string(text) + "' " + why};
}

template <class SocketAddress>
Address make_address(const SocketAddress& from, std::size_t size, int family) {
  Address address;
  std::memcpy(address.storage, &from, size);
  address.size = static_cast<std::uint32_t>(size);
  address.family = family;
  return address;
}

std::optional<Address> ipv4(const std::string& host, std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &to.sin_addr) != 1) return std::nullopt;
  return make_address(to, sizeof to, AF_INET);
}

std::optional<Address> ipv6(const std::string& host, std::uint16_t port) {
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(port);
  const std::size_t percent = host.find('%');
  if (percent != std::string::npos) {  // RFC 4007: fe80::1%eth0
    to.sin6_scope_id = if_nametoindex(host.c_str() + percent + 1);
    if (to.sin6_scope_id == 0) return std::nullopt;
  }
  if (inet_pton(AF_INET6, host.substr(0, percent).c_str(), &to.sin6_addr) != 1) {
    return std::nullopt;
  }
  return make_address(to, sizeof to, AF_INET6);
}

Address unix_address(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  path.copy(to.sun_path, kUnixPathMax);
  std::size_t size = offsetof(sockaddr_un, sun_path) + path.size();
  if (path.front() == '@') {
    to.sun_path[0] = '\0';  // the abstract namespace; the size ends the name, not a NUL
  } else {
    ++size;
  }
  return make_address(to, size, AF_UNIX);
}

Result<Endpoint, std::string> parse_unix(std::string_view text, std::string_view path) {
  if (path.empty() || (path.front() != '/' && path.front() != '@')) {
    return refuse(text, "is no unix socket: write unix:/path, or unix:@name for an abstract one");
  }
  if (path == "/" || path == "@") return refuse(text, "names no socket: write unix:/path");
  if (path.find('\0') != std::string_view::npos) return refuse(text, "has a NUL in its path");
  if (path.size() > kUnixPathMax) {
    return refuse(text, "is too long: a unix socket's path has at most " +
                            std::to_string(kUnixPathMax) + " bytes");
  }
  return Endpoint{.host = {}, .port = 0, .unix_path = std::string(path)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Empty when `host` can be a name or an IPv4 address; otherwise what is wrong with it.
std::string fault_of_host(const std::string& host) {
  if (host.empty() || host == "*") {
    return "has no host: write an address or a name before the colon (0.0.0.0 for every address)";
  }
  const bool plain = std::ranges::all_of(
      host, [](char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_'; });
  if (!plain) return "has a host with characters that no name has: write host:port";
  if (host.size() > kHostMax) return "has a host of more than 253 characters";
  const bool numeric = std::ranges::all_of(host, [](char c) { return is_digit(c) || c == '.'; });
  if (numeric && !ipv4(host, 0)) return "has no IPv4 address: write four numbers up to 255";
  return {};
}

/// The text is `[v6]:port`.
Result<Endpoint, std::string> parse_bracketed(std::string_view text) {
  const std::size_t bracket = text.find(']');
  if (bracket == std::string_view::npos || text.substr(bracket + 1, 1) != ":") {
    return refuse(text, "has no port: write [address]:port");
  }
  Endpoint endpoint{.host = std::string(text.substr(1, bracket - 1)), .port = 0, .unix_path = {}};
  const std::string bare = endpoint.host.substr(0, endpoint.host.find('%'));
  if (!ipv6(bare, 0)) return refuse(text, "has no IPv6 address between its brackets");
  const auto port = parse_port(text.substr(bracket + 2));
  if (!port) return refuse(text, "has a port that is no number from 0 to 65535");
  endpoint.port = *port;
  return endpoint;
}

Result<Endpoint, std::string> parse_host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(text, "has no port: write host:port");
  if (text.find(':') != colon) {
    return refuse(text, "has more than one colon: write an IPv6 address as [address]:port");
  }
  Endpoint endpoint{.host = std::string(text.substr(0, colon)), .port = 0, .unix_path = {}};
  const std::string fault = fault_of_host(endpoint.host);
  if (!fault.empty()) return refuse(text, fault);
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return refuse(text, "has a port that is no number from 0 to 65535");
  endpoint.port = *port;
  return endpoint;
}

std::string with_port(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace

std::string Endpoint::text() const {
  if (!is_unix()) return with_port(host, port);
  return unix_path.front() == '@' ? "unix:" + unix_path : unix_path;
}

Result<Endpoint, std::string> parse_endpoint(std::string_view text) {
  constexpr std::string_view kUnix = "unix:";
  if (text.empty()) return Unexpected{std::string("an endpoint is empty: write host:port")};
  if (text.starts_with(kUnix)) return parse_unix(text, text.substr(kUnix.size()));
  if (text.front() == '/') return parse_unix(text, text);
  if (text.front() == '@') {
    return refuse(text, "needs unix: before the name of an abstract socket");
  }
  if (text.front() == '[') return parse_bracketed(text);
  return parse_host_and_port(text);
}

std::string Address::text() const {
  if (family == AF_UNIX) {
    const auto* name = reinterpret_cast<const char*>(storage) + offsetof(sockaddr_un, sun_path);
    const std::size_t length = size - offsetof(sockaddr_un, sun_path);
    if (length == 0) return "unix:";  // the peer has no name
    if (name[0] != '\0') return std::string(name, strnlen(name, length));
    return "unix:@" + std::string(name + 1, length - 1);
  }
  char host[INET6_ADDRSTRLEN] = "";
  if (family == AF_INET) {
    sockaddr_in from{};
    std::memcpy(&from, storage, sizeof from);
    inet_ntop(AF_INET, &from.sin_addr, host, sizeof host);
    return with_port(host, ntohs(from.sin_port));
  }
  sockaddr_in6 from{};
  std::memcpy(&from, storage, sizeof from);
  inet_ntop(AF_INET6, &from.sin6_addr, host, sizeof host);
  return with_port(host, ntohs(from.sin6_port));
}

std::optional<Address> numeric_address(const Endpoint& endpoint) {
  if (endpoint.is_unix()) return unix_address(endpoint.unix_path);
  if (endpoint.host.find(':') != std::string::npos) return ipv6(endpoint.host, endpoint.port);
  return ipv4(endpoint.host, endpoint.port);
}

Result<std::vector<Address>, std::string> resolve_all_blocking(const Endpoint& endpoint) {
  if (const auto numeric = numeric_address(endpoint)) return std::vector<Address>{*numeric};
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(endpoint.port);
  const int failure = getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found);
  if (failure != 0) {
    return Unexpected{"cannot resolve '" + endpoint.host + "': " + gai_strerror(failure)};
  }
  std::vector<Address> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Address address;
    std::memcpy(address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
    address.family = entry->ai_family;
    addresses.push_back(address);
  }
  freeaddrinfo(found);
  // Debian's memcached listens on 127.0.0.1 alone, and localhost's first address is often ::1.
  if (endpoint.host == "localhost") {
    std::ranges::partition(addresses, [](const Address& a) { return a.family == AF_INET; });
  }
  return addresses;
}

Result<Address, std::string> resolve_blocking(const Endpoint& endpoint) {
  const auto addresses = resolve_all_blocking(endpoint);
  if (!addresses) return Unexpected{addresses.error()};
  return addresses->front();
}

}  // namespace mcsteady::net
