#include "main/place_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "main/config_file.h"
#include "main/exit_status.h"
#include "mcsteady/config/config.h"
#include "mcsteady/routing/membership.h"
#include "mcsteady/routing/route.h"

namespace mcsteady {
namespace {

constexpr std::string_view kKeysHelp = "file of keys, one a line: raw bytes, LF";

using routing::Route;
using routing::RouteTree;
using Kind = routing::RouteOptions::Kind;

/// The pools that a configuration sends keys to, ready to place them.
class KeyPlacer {
 public:
  struct Place {
    const routing::PoolOptions* pool = nullptr;  // null: the key is sent nowhere
    const routing::Membership* members = nullptr;
    std::size_t position = 0;
    std::string server() const {
      return pool == nullptr ? "nowhere" : members->servers[position].server.endpoint.text();
    }
  };

  /// Null if there is none; why has gone to stderr.
  static std::unique_ptr<const KeyPlacer> load(const std::string& file) {
    auto config = load_or_complain(file);
    if (!config) return nullptr;
    std::unique_ptr<KeyPlacer> placer(new KeyPlacer(std::move(config->worker)));
    return placer->add_pools(file) ? std::move(placer) : nullptr;
  }

  Place place(std::string_view key) const {
    const Route* route = &RouteTree::select(tree_.root(), protocol::Verb::Get, key);
    // Where a route has several pools, the first is the one that is asked first.
    while (route->kind != Kind::Pool && !route->children.empty()) {
      route = &RouteTree::select(*route->children.front(), protocol::Verb::Get, key);
    }
    if (route->kind != Kind::Pool) return {};
    const auto& [pool, members] = pools_[route->pool];
    return {.pool = pool, .members = members.get(), .position = members->placement->place(key)};
  }

  /// One line: pool, route, server, and why.
  std::string line(std::string_view key) const {
    const Place at = place(key);
    const std::string start = std::string(key) + ": ";
    if (at.pool == nullptr) return start + "nowhere, by route " + route_name() + "\n";
    return start + "pool " + at.pool->name + ", route " + route_name() + ", server " + at.server() +
           " (position " + std::to_string(at.position) + "), because " + at.pool->placement_text +
           ": " + at.members->placement->explain(key) + "\n";
  }

 private:
  explicit KeyPlacer(proxy::WorkerOptions options)
      : options_(std::move(options)), tree_(options_.route) {}

  bool add_pools(const std::string& file) {
    for (const std::string& name : tree_.pools()) {
      const auto pool = std::ranges::find(options_.pools, name, &routing::PoolOptions::name);
      if (pool == options_.pools.end() || pool->servers.empty()) {
        std::fprintf(stderr,
                     "mcsteady: %s: the servers of pool %s are found out while it runs; list them "
                     "to see where keys go\n",
                     file.c_str(), name.c_str());
        return false;
      }
      pools_.emplace_back(&*pool, make_membership(pool->placement, pool->servers));
    }
    return true;
  }

  std::string route_name() const {
    const routing::RouteOptions& root = options_.route;
    if (root.kind == Kind::Pool) return root.text;
    return root.kind == Kind::ByPrefix ? "by prefix" : "by kind of request";
  }

  const proxy::WorkerOptions options_;
  const RouteTree tree_;
  std::vector<std::pair<const routing::PoolOptions*, routing::MembershipPtr>> pools_;
};

/// The whole file; unset, with a complaint, if it cannot be read.
std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.bad() && file.is_open()) return bytes;
  std::fprintf(stderr, "mcsteady: %s: cannot be read\n", path.c_str());
  return std::nullopt;
}

/// Each line of `text`, the last one with or without its LF.
template <class Take>
void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string percent(std::size_t part, std::size_t whole) {
  char text[16];
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof(text), "%.1f %%", share * 100);
  return text;
}

}  // namespace

void PlaceCommand::describe(CLI::App& command) {
  const std::map<std::string, Format> formats = {{"text", Format::Text}, {"index", Format::Index}};
  command.add_option("--config", config_file, "YAML file")->required();
  command.add_option("--keys", keys_file, std::string(kKeysHelp));
  command
      .add_option("--format", format,
                  "text: pool, route, server and why; index: the server's "
                  "position in the pool's list, from 0")
      ->transform(CLI::CheckedTransformer(formats));
  command.add_option("KEY", keys, "keys");
}

int PlaceCommand::run() const {
  if (keys.empty() && keys_file.empty()) {
    std::fputs("mcsteady: place: which keys? name some, or give --keys FILE\n", stderr);
    return kExitUsage;
  }
  const auto placer = KeyPlacer::load(config_file);
  if (!placer) return kExitConfig;
  const auto from_file = keys_file.empty() ? std::optional(std::string()) : read_file(keys_file);
  if (!from_file) return kExitNoInput;
  std::string out;
  const auto add = [&](std::string_view key) {
    if (format == Format::Text) {
      out += placer->line(key);
    } else {
      const auto at = placer->place(key);
      out += (at.pool == nullptr ? "-1" : std::to_string(at.position)) + "\n";
    }
  };
  for (const std::string& key : keys) add(key);
  each_line(*from_file, add);
  print(out);
  return 0;
}

void ComparePlacementCommand::describe(CLI::App& command) {
  command.add_option("--config", config_files, "YAML file; twice: what is, and what would be")
      ->required()
      ->expected(1)
      ->take_all();
  command.add_option("--keys", keys_file, std::string(kKeysHelp))->required();
}

int ComparePlacementCommand::run() const {
  if (config_files.size() != 2) {
    std::fputs("mcsteady: compare-placement: two are compared; give --config twice\n", stderr);
    return kExitUsage;
  }
  const auto before = KeyPlacer::load(config_files[0]);
  const auto after = KeyPlacer::load(config_files[1]);
  if (!before || !after) return kExitConfig;
  const auto text = read_file(keys_file);
  if (!text) return kExitNoInput;
  std::size_t keys = 0, moved = 0;
  std::map<std::pair<std::string, std::string>, std::size_t> moves;
  each_line(*text, [&](std::string_view key) {
    ++keys;
    std::pair way(before->place(key).server(), after->place(key).server());
    if (way.first == way.second) return;
    ++moved;
    ++moves[std::move(way)];
  });
  std::string out = std::to_string(moved) + " of " + std::to_string(keys) + " keys would move (" +
                    percent(moved, keys) + ")\n";
  for (const auto& [way, count] : moves) {
    out += way.first + " -> " + way.second + ": " + std::to_string(count) + "\n";
  }
  print(out);
  return 0;
}

}  // namespace mcsteady
