#include "mcsteady/admin/settings.h"

#include <algorithm>
#include <chrono>

namespace mcsteady::admin {

namespace {
std::string yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

/// Of the first listener of its kind.
void add_listeners(const std::vector<proxy::ListenerOptions>& listeners, Settings& settings) {
  const auto is_unix = [](const proxy::ListenerOptions& listener) {
    return listener.socket.endpoint.is_unix();
  };
  const auto tcp = std::ranges::find_if_not(listeners, is_unix);
  const auto local = std::ranges::find_if(listeners, is_unix);
  const bool has_tcp = tcp != listeners.end();
  settings.emplace_back("tcpport", has_tcp ? std::to_string(tcp->socket.endpoint.port) : "0");
  settings.emplace_back("udpport", "0");
  settings.emplace_back("inter", has_tcp ? tcp->socket.endpoint.host : "NULL");
  const bool has_local = local != listeners.end();
  settings.emplace_back("domain_socket", has_local ? local->socket.endpoint.unix_path : "NULL");
}
}  // namespace

Settings settings_of(const proxy::WorkerOptions& options, int workers, ByteCount memory_max) {
  const proxy::ClientOptions& client = options.client;
  const auto has = [&](auto member) { return std::ranges::any_of(options.listeners, member); };
  const bool asks = has([](const auto& listener) { return !listener.auth_file.empty(); });
  const bool tls = has([](const auto& listener) { return listener.tls != nullptr; });
  const auto idle = std::chrono::duration_cast<std::chrono::seconds>(client.idle_max).count();
  Settings settings;
  settings.emplace_back("maxbytes", std::to_string(memory_max.value));
  settings.emplace_back("maxconns", std::to_string(client.clients_max));
  add_listeners(options.listeners, settings);
  settings.emplace_back("verbosity", "0");
  settings.emplace_back("evictions", "off");
  settings.emplace_back("num_threads", std::to_string(workers));
  settings.emplace_back("reqs_per_event", std::to_string(client.requests_per_turn));
  settings.emplace_back("cas_enabled", "yes");
  settings.emplace_back("binding_protocol", "auto-negotiate");
  settings.emplace_back("auth_enabled_sasl", yes_or_no(asks));
  settings.emplace_back("auth_enabled_ascii", yes_or_no(asks));
  settings.emplace_back("item_size_max", std::to_string(client.limits.value_max.value));
  settings.emplace_back("maxconns_fast", "yes");
  settings.emplace_back("flush_enabled", "yes");
  settings.emplace_back("dump_enabled", "no");
  settings.emplace_back("lru_crawler", "no");
  settings.emplace_back("lru_maintainer_thread", "no");
  settings.emplace_back("slab_reassign", "no");
  settings.emplace_back("idle_timeout", std::to_string(idle));
  settings.emplace_back("ssl_enabled", yes_or_no(tls));
  return settings;
}

}  // namespace mcsteady::admin
