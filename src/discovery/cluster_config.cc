#include "mcsteady/discovery/cluster_config.h"

#include <charconv>

namespace mcsteady::discovery {

namespace {
constexpr std::size_t kLineMax = 1024;
constexpr std::size_t kPayloadMax = std::size_t{1} << 20;
constexpr std::size_t kNodesMax = 4096;
constexpr std::string_view kEnd = "\r\nEND\r\n";

using Kind = ClusterReplyError::Kind;

Unexpected<ClusterReplyError> refuse(Kind kind, std::string text) {
  return Unexpected{ClusterReplyError{kind, std::move(text)}};
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Up to `border`, which is taken too; all of it where there is none.
std::string_view take_until(std::string_view& text, char border) {
  const std::size_t at = text.find(border);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

/// "CONFIG cluster 0 <size>" or "VALUE AmazonElastiCache:cluster 0 <size>".
Result<std::size_t, ClusterReplyError> payload_size(std::string_view line) {
  const bool is_reply =
      line.starts_with("CONFIG cluster ") || line.starts_with("VALUE AmazonElastiCache:cluster ");
  if (!is_reply) {
    return refuse(Kind::NotKnown, "it answers '" + std::string(line.substr(0, 80)) + "'");
  }
  const auto size = number<std::size_t>(line.substr(line.rfind(' ') + 1));
  if (!size || *size > kPayloadMax) return refuse(Kind::Malformed, "a size that makes no sense");
  return *size;
}

/// "host|ip|port"; the host or the address may be empty, not both.
std::optional<ClusterConfig::Node> parse_node(std::string_view text) {
  const std::string host(take_until(text, '|'));
  const std::string ip(take_until(text, '|'));
  const auto port = number<std::uint16_t>(text);
  if (!port || *port == 0) return std::nullopt;
  const auto at = [&](const std::string& where) {
    const bool is_v6 = where.find(':') != std::string::npos;
    const std::string bare = is_v6 ? "[" + where + "]" : where;
    return net::parse_endpoint(bare + ":" + std::to_string(*port));
  };
  const auto by_address = ip.empty() ? at(host) : at(ip);
  const auto by_name = host.empty() ? by_address : at(host);
  if (!by_name || !by_address || by_name->is_unix()) return std::nullopt;
  return ClusterConfig::Node{.at = *by_name, .address = net::numeric_address(*by_address)};
}

Result<ClusterConfig, ClusterReplyError> parse_payload(std::string_view payload) {
  ClusterConfig config;
  const auto version = number<std::uint64_t>(take_until(payload, '\n'));
  if (!version) return refuse(Kind::Malformed, "no version in its first line");
  config.version = *version;
  std::string_view line = take_until(payload, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (!line.empty()) {
    const std::string_view text = take_until(line, ' ');
    if (text.empty()) continue;
    const auto node = parse_node(text);
    if (!node) {
      return refuse(Kind::Malformed,
                    "'" + std::string(text.substr(0, 300)) + "' is no host|ip|port");
    }
    config.nodes.push_back(*node);
    if (config.nodes.size() > kNodesMax) return refuse(Kind::Malformed, "more than 4096 nodes");
  }
  if (config.nodes.empty()) return refuse(Kind::Malformed, "no node in its second line");
  return config;
}
}  // namespace

Result<std::optional<ClusterConfig>, ClusterReplyError> parse_cluster_reply(
    std::string_view input) {
  const std::size_t line_end = input.find("\r\n");
  if (line_end == std::string_view::npos) {
    if (input.size() <= kLineMax) return std::nullopt;
    return refuse(Kind::Malformed, "a line without end");
  }
  const auto size = payload_size(input.substr(0, line_end));
  if (!size) return Unexpected{size.error()};
  const std::string_view rest = input.substr(line_end + 2);
  if (rest.size() < *size + kEnd.size()) return std::nullopt;
  if (rest.substr(*size, kEnd.size()) != kEnd) {
    return refuse(Kind::Malformed, "no END where its size says");
  }
  auto config = parse_payload(rest.substr(0, *size));
  if (!config) return Unexpected{config.error()};
  return std::optional{std::move(*config)};
}

}  // namespace mcsteady::discovery
