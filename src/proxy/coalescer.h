#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "mcsteady/metrics/metrics.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/routing/route.h"
#include "mcsteady/upstream/exchange.h"
#include "proxy/kept.h"
#include "proxy/shared_get.h"

namespace mcsteady::proxy {

class Router;

/// The reads that are asked once for many, by their keys: what a `coalesce` route is.
/// Owner: Router; outlives what is under way. Thread: its worker's.
class Coalescer {
 public:
  /// `registry` and `router` outlive this.
  Coalescer(Router& router, metrics::Registry& registry);

  /// Takes what has come to the route. See Router::submit for when its owner is told.
  void take(const routing::Route& route, upstream::ExchangePtr exchange, std::string_view key,
            std::string_view bytes, std::size_t lane);
  /// The client of that lane is about to change all there is.
  void let_go_all(std::size_t lane);

 private:
  friend class SharedGet;
  void let_go(std::string_view bytes, std::size_t lane);
  void give_back(SharedGet& get);

  Router& router_;
  metrics::Counter joined_;
  Kept<SharedGet, Coalescer> kept_{*this};
  // Some of one key, where it is asked for in several ways. Keys: SharedGet::bytes().
  std::unordered_multimap<std::string_view, SharedGet*> under_way_;
};

}  // namespace mcsteady::proxy
