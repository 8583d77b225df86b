#include "main/place_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "main/config_file.h"
#include "main/exit_status.h"
#include "mcsteady/config/config.h"
#include "mcsteady/routing/membership.h"

namespace mcsteady {
namespace {

constexpr std::string_view kKeysHelp = "file of keys, one a line: raw bytes, LF";

/// The pool that a configuration sends keys to, ready to place them.
class KeyPlacer {
 public:
  /// Unset if there is none; why has gone to stderr.
  static std::optional<KeyPlacer> load(const std::string& file) {
    auto config = load_or_complain(file);
    if (!config) return std::nullopt;
    const auto pool =
        std::ranges::find(config->worker.pools, config->worker.route, &routing::PoolOptions::name);
    if (pool == config->worker.pools.end() || pool->servers.empty()) {
      std::fprintf(stderr,
                   "mcsteady: %s: the servers of pool %s are found out while it runs; list them to "
                   "see where keys go\n",
                   file.c_str(), config->worker.route.c_str());
      return std::nullopt;
    }
    return KeyPlacer(std::move(*pool));
  }

  std::size_t position(std::string_view key) const { return members_->placement->place(key); }
  std::string server(std::size_t position) const {
    return members_->servers[position].server.endpoint.text();
  }
  /// One line: pool, route, server, and why.
  std::string line(std::string_view key) const {
    const std::size_t at = position(key);
    return std::string(key) + ": pool " + pool_.name + ", route " + pool_.name + ", server " +
           server(at) + " (position " + std::to_string(at) + "), because " + pool_.placement_text +
           ": " + members_->placement->explain(key) + "\n";
  }

 private:
  explicit KeyPlacer(routing::PoolOptions pool)
      : pool_(std::move(pool)), members_(make_membership(pool_.placement, pool_.servers)) {}

  routing::PoolOptions pool_;
  routing::MembershipPtr members_;
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
    out +=
        format == Format::Index ? std::to_string(placer->position(key)) + "\n" : placer->line(key);
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
    std::pair way(before->server(before->position(key)), after->server(after->position(key)));
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
