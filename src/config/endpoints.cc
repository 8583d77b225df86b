#include "config/endpoints.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "config/peers.h"
#include "config/tls.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

constexpr unsigned kModeMax = 0777;

/// Octal digits, as chmod takes them.
std::optional<unsigned> parse_mode(std::string_view text) {
  unsigned mode = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  const bool whole = error == std::errc{} && rest == end && text.size() >= 3 && text.size() <= 4;
  return whole && mode > 0 && mode <= kModeMax ? std::optional(mode) : std::nullopt;
}

void read_mode(Section& section, net::ListenOptions& listener) {
  const auto text = section.scalar("mode", "permissions like \"0660\"");
  if (!text) return;
  const Mark at = section.find("mode")->value->mark;
  if (!listener.endpoint.is_unix()) {
    section.error(
        at, "mode",
        "only a unix socket has one, and this is " + listener.endpoint.text() + "; leave it out");
  } else if (const auto mode = parse_mode(*text)) {
    listener.unix_mode = *mode;
  } else {
    section.error(at, "mode",
                  quoted(*text) + " is no permissions; write octal digits, as \"0660\"");
  }
}

std::optional<proxy::ListenerOptions> read_listener_map(const YamlNode& node,
                                                        std::vector<TlsUse>& tls,
                                                        ErrorList& errors) {
  Section section(&node, "listen", errors);
  proxy::ListenerOptions listener;
  const auto address = section.find("address");
  if (!address && !section.has("address")) {
    section.error(node.mark, "address", "missing; write address: host:port or unix:/path");
  }
  const auto endpoint = address ? read_endpoint(*address->value, "address", errors) : std::nullopt;
  if (endpoint) {
    listener.socket.endpoint = *endpoint;
    read_mode(section, listener.socket);
    read_owner(section, listener.socket);
    listener.peers = read_peers(section, *endpoint, errors);
  } else {
    section.find("mode");
    section.find("owner");
    section.find("group");
    section.find("peers");
  }
  section.read_number("backlog", listener.socket.backlog, {1, 65535});
  listener.tls = read_server_tls(section, endpoint ? endpoint->text() : std::string(), tls);
  section.read_text("auth", listener.auth_file);
  section.finish();
  return endpoint ? std::optional(listener) : std::nullopt;
}

std::optional<proxy::ListenerOptions> read_listener(const YamlNode& node, std::vector<TlsUse>& tls,
                                                    ErrorList& errors) {
  if (node.kind == YamlNode::Kind::Map) return read_listener_map(node, tls, errors);
  const auto endpoint = read_endpoint(node, "listen", errors);
  if (!endpoint) return std::nullopt;
  proxy::ListenerOptions listener;
  listener.socket.endpoint = *endpoint;
  return listener;
}

}  // namespace

std::optional<net::Endpoint> read_endpoint(const YamlNode& node, std::string_view key,
                                           ErrorList& errors) {
  const auto refuse = [&](const std::string& why) {
    errors.add(node.mark, std::string(key) + ": " + why);
    return std::nullopt;
  };
  if (node.kind != YamlNode::Kind::Scalar) {
    return refuse(std::string(kind_name(node)) + " where an address like host:port belongs");
  }
  const bool has_control = std::any_of(node.text.begin(), node.text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
  });
  if (has_control) return refuse(quoted(node.text) + " holds a control character");
  const auto endpoint = net::parse_endpoint(node.text);
  if (!endpoint) return refuse(endpoint.error());
  return *endpoint;
}

std::vector<proxy::ListenerOptions> read_listeners(const YamlNode& list, std::vector<TlsUse>& tls,
                                                   ErrorList& errors) {
  std::vector<proxy::ListenerOptions> listeners;
  if (list.kind != YamlNode::Kind::List) {
    errors.add(list.mark, "listen: " + std::string(kind_name(list)) +
                              " where a list belongs; write [host:port]");
    return listeners;
  }
  if (list.items.empty()) errors.add(list.mark, "listen: nothing to listen on; write [host:port]");
  std::map<std::string, int> lines;
  for (const YamlNode* item : list.items) {
    const auto listener = read_listener(*item, tls, errors);
    if (!listener) continue;
    const net::Endpoint& endpoint = listener->socket.endpoint;
    const std::string text = endpoint.text();
    const auto [first, is_new] = lines.try_emplace(text, item->mark.line);
    const bool kernel_picks = !endpoint.is_unix() && endpoint.port == 0;
    if (is_new || kernel_picks) {
      listeners.push_back(*listener);
    } else {
      errors.add(item->mark, "listen: " + text + " is listened on already; the first is on line " +
                                 std::to_string(first->second));
    }
  }
  return listeners;
}

}  // namespace mcsteady::config
