#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/section.h"
#include "mcsteady/routing/options.h"
#include "mcsteady/routing/route.h"

namespace mcsteady::config {

std::string names_of(const std::vector<routing::PoolOptions>& pools);
bool is_pool(const std::vector<routing::PoolOptions>& pools, std::string_view name);

/// Reads trees of routes. Whatever is wrong is reported and read as something harmless, so that the
/// rest is read too. Borrows everything it is given.
class RouteReader {
 public:
  /// `named`: the map `routes`, of routes that are used by their names; null: none. `zone`: where
  /// this proxy is; or empty.
  RouteReader(const std::vector<routing::PoolOptions>& pools, const YamlNode* named,
              std::string zone, ErrorList& errors);

  routing::RouteOptions read(const YamlNode& node);
  /// Those of `routes` that nothing has named: for their errors.
  void read_unused();

 private:
  using RouteOptions = routing::RouteOptions;
  struct Named {
    const YamlNode* node = nullptr;
    bool is_being_read = false;
    std::optional<RouteOptions> route{};
  };

  RouteOptions read_name(const YamlNode& node);
  RouteOptions read_named(const std::string& name, Named& named, Mark at);
  RouteOptions read_map(const YamlNode& node);
  RouteOptions read_error(Section& section);
  RouteOptions read_by_prefix(Section& section);
  RouteOptions read_by_command(Section& section);
  RouteOptions read_failover(Section& section);
  void read_causes(Section& section, routing::FailoverRule& rule);
  RouteOptions read_replicate(Section& section);
  void put_near_first(Section& section, std::vector<RouteOptions>& children);
  bool reaches_zone(const RouteOptions& route) const;
  RouteOptions read_migrate(Section& section);
  RouteOptions read_shadow(Section& section);
  RouteOptions read_rewrite(Section& section);
  RouteOptions read_rate_limit(Section& section);
  RouteOptions read_coalesce(Section& section);
  RouteOptions with_ttl_max(Section& section, RouteOptions failover);
  RouteOptions read_guard(Section& section, std::string_view key, bool allows);
  std::optional<RouteOptions> read_child(Section& section, std::string_view key);
  std::vector<std::string> read_words(Section& section, std::string_view key);
  void read_verbs(Section& section, routing::VerbSet& verbs);
  RouteOptions fallback() const;

  const std::vector<routing::PoolOptions>& pools_;
  const std::string zone_;
  std::map<std::string, Named, std::less<>> named_;
  ErrorList& errors_;
  std::size_t parts_ = 0;  // of the whole tree, those of named routes as often as they are named
};

}  // namespace mcsteady::config
