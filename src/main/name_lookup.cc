#include "main/name_lookup.h"

#include <thread>
#include <utility>

namespace mcsteady {

void NameLookup::start() {
  if (under_way()) return;
  asked_.clear();
  std::vector<net::Endpoint> endpoints;
  for (const auto& server : fleet_.servers()) {
    if (server->address()) continue;
    if (const auto numeric = net::numeric_address(server->endpoint())) {
      server->set_address(*numeric);
    } else {
      asked_.push_back(server.get());
      endpoints.push_back(server->endpoint());
    }
  }
  if (asked_.empty()) return;
  std::promise<std::vector<Found>> promise;
  found_ = promise.get_future();
  // On its own, with copies of all it uses: it may outlive everything here, in getaddrinfo.
  std::thread([endpoints = std::move(endpoints), promise = std::move(promise)]() mutable {
    std::vector<Found> found;
    for (const net::Endpoint& endpoint : endpoints) {
      found.push_back(net::resolve_all_blocking(endpoint));
    }
    promise.set_value(std::move(found));
  }).detach();
}

void NameLookup::collect(Duration at_most) {
  if (!under_way() || found_.wait_for(at_most) != std::future_status::ready) return;
  std::vector<Found> found = found_.get();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) {
      asked_[i]->set_addresses(std::move(*found[i]));
    } else {
      log_.warn("server name does not resolve, will be tried again",
                {{"server", asked_[i]->name()}, {"error", found[i].error()}});
    }
  }
}

bool NameLookup::all_found() const {
  for (const auto& server : fleet_.servers()) {
    if (!server->address()) return false;
  }
  return true;
}

}  // namespace mcsteady
