#include "config/servers.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "config/endpoints.h"
#include "config/words.h"

namespace mcsteady::config {
namespace {

using routing::PoolServer;

enum class State { Up, Down, Drain };

constexpr std::size_t kServerNameMax = 255;
constexpr std::array<Choice<State>, 3> kStates = {
    {{"up", State::Up}, {"down", State::Down}, {"drain", State::Drain}}};

/// Names stand in log lines and statistics, where a blank ends a word.
void read_name(Section& section, std::string& name) {
  section.read_text("name", name);
  const bool has_blank = name.find(' ') != std::string::npos;
  if (!name.empty() && !has_blank && name.size() <= kServerNameMax) return;
  section.error(section.mark_of("name"), "name",
                quoted(name) + " is no name for a server; it has 1 to 255 characters and no blank");
}

/// What a client looked up for the host of the address. We do not connect to it.
void read_ip(Section& section, std::string& ip) {
  section.read_text("ip", ip);
  if (ip.empty() || net::numeric_address({.host = ip, .port = 1, .unix_path = {}})) return;
  section.error(section.mark_of("ip"), "ip", quoted(ip) + " is not a numeric address");
}

std::optional<net::Endpoint> read_address(const YamlNode& node, std::string_view key,
                                          ErrorList& errors) {
  auto endpoint = read_endpoint(node, key, errors);
  if (!endpoint || endpoint->is_unix() || endpoint->port != 0) return endpoint;
  errors.add(node.mark, std::string(key) + ": " + quoted(node.text) +
                            " has port 0; a server's is from 1 to 65535");
  return std::nullopt;
}

std::optional<PoolServer> read_server_map(const YamlNode& node,
                                          const upstream::ServerOptions& common,
                                          ErrorList& errors) {
  Section section(&node, "servers", errors);
  PoolServer server{.server = common};
  const auto address = section.find("address");
  if (!address && !section.has("address")) {
    section.error(node.mark, "address", "missing; write address: host:port or unix:/path");
  }
  const auto endpoint = address ? read_address(*address->value, "address", errors) : std::nullopt;
  server.server.endpoint = endpoint.value_or(net::Endpoint{});
  server.server.name = endpoint ? endpoint->text() : "?";
  if (section.find("name")) {
    read_name(section, server.server.name);
    server.given_name = server.server.name;
  }
  read_ip(section, server.ip);
  section.read_number("weight", server.weight, {1, 1000000});
  State state = State::Up;
  section.read_choice<State>("state", state, kStates);
  server.is_up = state != State::Down;
  server.is_draining = state == State::Drain;
  section.refuse_for_now("tls");
  section.finish();
  return endpoint ? std::optional(server) : std::nullopt;
}

std::optional<PoolServer> read_server(const YamlNode& node, const upstream::ServerOptions& common,
                                      ErrorList& errors) {
  if (node.kind == YamlNode::Kind::Map) return read_server_map(node, common, errors);
  const auto endpoint = read_address(node, "servers", errors);
  if (!endpoint) return std::nullopt;
  PoolServer server{.server = common};
  server.server.endpoint = *endpoint;
  server.server.name = endpoint->text();
  return server;
}

/// Reports a server that has the address or the name of an earlier one.
class Doubles {
 public:
  explicit Doubles(ErrorList& errors) : errors_(errors) {}

  void check(Mark at, const PoolServer& server) {
    const std::string address = server.server.endpoint.text();
    const bool same_address = report(addresses_, at, "the address", address);
    if (!same_address) report(names_, at, "the name", server.server.name);
  }

 private:
  using Lines = std::map<std::string, int>;

  bool report(Lines& lines, Mark at, const std::string& what, const std::string& text) {
    const auto [first, is_new] = lines.try_emplace(text, at.line);
    if (is_new) return false;
    errors_.add(at, "servers: " + what + " " + quoted(text) +
                        " is given twice; the first is on line " + std::to_string(first->second));
    return true;
  }

  ErrorList& errors_;
  Lines addresses_;
  Lines names_;
};

}  // namespace

std::vector<PoolServer> read_servers(const YamlNode& list, const upstream::ServerOptions& common,
                                     ErrorList& errors) {
  std::vector<PoolServer> servers;
  if (list.kind != YamlNode::Kind::List) {
    errors.add(list.mark, "servers: " + std::string(kind_name(list)) +
                              " where a list belongs; write [host:port]");
    return servers;
  }
  if (list.items.empty()) errors.add(list.mark, "servers: an empty list; write [host:port]");
  Doubles doubles(errors);
  for (const YamlNode* item : list.items) {
    auto server = read_server(*item, common, errors);
    if (!server) continue;
    doubles.check(item->mark, *server);
    servers.push_back(std::move(*server));
  }
  return servers;
}

}  // namespace mcsteady::config
