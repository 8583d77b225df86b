#include "proxy/coalescer.h"

#include <cassert>
#include <utility>
#include <vector>

#include "mcsteady/protocol/sharing.h"
#include "proxy/router.h"

namespace mcsteady::proxy {

Coalescer::Coalescer(Router& router, metrics::Registry& registry) : router_(router) {
  registry.add({"coalesced_gets", ""}, joined_);
}

void Coalescer::take(const routing::Route& route, upstream::ExchangePtr exchange,
                     std::string_view key, std::string_view bytes, std::size_t lane) {
  if (!protocol::may_be_shared(exchange->verb, exchange->command())) {
    let_go(bytes, lane);
    return router_.send(*route.children.front(), std::move(exchange), key, bytes, lane);
  }
  // By its own lane it stays behind the write that it follows.
  if (exchange->follows_write) {
    return router_.send(*route.children.front(), std::move(exchange), key, bytes, lane);
  }
  const auto [begin, end] = under_way_.equal_range(bytes);
  for (auto at = begin; at != end; ++at) {
    if (!at->second->is_for(route, exchange->command())) continue;
    joined_.add();
    return at->second->join(std::move(exchange), lane);
  }
  kept_.take().start(route, std::move(exchange), key, bytes, lane);
}

void Coalescer::let_go(std::string_view bytes, std::size_t lane) {
  std::vector<SharedGet*> gets;  // a copy: one that fails at once may be the end of it
  const auto [begin, end] = under_way_.equal_range(bytes);
  for (auto at = begin; at != end; ++at) gets.push_back(at->second);
  for (SharedGet* get : gets) get->let_go(lane);
}

void Coalescer::let_go_all(std::size_t lane) {
  std::vector<SharedGet*> gets;
  for (const auto& [bytes, get] : under_way_) gets.push_back(get);
  for (SharedGet* get : gets) get->let_go(lane);
}

void Coalescer::give_back(SharedGet& get) {
  const auto [begin, end] = under_way_.equal_range(get.bytes());
  for (auto at = begin; at != end; ++at) {
    if (at->second != &get) continue;
    under_way_.erase(at);
    return kept_.give_back(get);
  }
  assert(false && "it was under way");
}

}  // namespace mcsteady::proxy
