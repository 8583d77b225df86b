#include "mcsteady/discovery/directory.h"

#include <algorithm>
#include <utility>

#include "discovery/address_book.h"
#include "discovery/pool_watch.h"

namespace mcsteady::discovery {

class Directory::Impl final : private AddressBook::Listener, private PoolWatch::Listener {
 public:
  Impl(net::EventLoop& loop, net::Resolver& resolver, upstream::Fleet& fleet, Log& log,
       metrics::Registry& registry, const TtlLimits& limits, Directory::Listener& listener)
      : registry_(registry),
        listener_(listener),
        context_{loop, resolver, fleet, log, metrics_, limits},
        book_(context_, static_cast<AddressBook::Listener&>(*this)) {
    metrics_.register_in(registry);
  }

  void add(const routing::PoolOptions& pool);
  void look_at_doubts();
  bool is_settled() const {
    return book_.is_settled() && std::ranges::all_of(pools_, &PoolWatch::is_settled);
  }

 private:
  void on_addresses(const upstream::SharedServer& server) override {
    for (const auto& pool : pools_) {
      if (pool->has(server)) pool->on_addresses();
    }
    listener_.on_addresses_changed();
  }
  void on_members(const std::string& pool, routing::MembershipPtr members) override {
    listener_.on_members(pool, std::move(members));
  }

  metrics::Registry& registry_;
  Directory::Listener& listener_;
  Metrics metrics_;
  const Context context_;
  AddressBook book_;
  std::vector<std::unique_ptr<PoolWatch>> pools_;
  std::vector<upstream::Fleet::ServerPtr> listed_;  // the servers of pools that list theirs
};

void Directory::Impl::add(const routing::PoolOptions& pool) {
  if (pool.source.kind != routing::SourceOptions::Kind::List) {
    auto source = make_source(pool, context_.loop, context_.resolver);
    pools_.push_back(std::make_unique<PoolWatch>(context_, pool, std::move(source), book_,
                                                 static_cast<PoolWatch::Listener&>(*this)));
    pools_.back()->metrics().register_in(registry_, pool.name);
    return;
  }
  for (const routing::PoolServer& entry : pool.servers) {
    const upstream::ServerOptions& server = entry.server;
    listed_.push_back(context_.fleet.server(server.name, server.endpoint, server.health));
    book_.watch(listed_.back());
  }
}

void Directory::Impl::look_at_doubts() {
  for (const auto& server : context_.fleet.servers()) {
    if (!server->take_doubt()) continue;
    book_.doubt(*server);
    for (const auto& pool : pools_) {
      if (pool->has(*server)) pool->hurry();
    }
  }
}

Directory::Directory(net::EventLoop& loop, net::Resolver& resolver, upstream::Fleet& fleet,
                     Log& log, metrics::Registry& registry, const TtlLimits& limits,
                     Listener& listener)
    : impl_(std::make_unique<Impl>(loop, resolver, fleet, log, registry, limits, listener)) {}
Directory::~Directory() = default;
void Directory::add(const routing::PoolOptions& pool) {
  impl_->add(pool);
}
void Directory::look_at_doubts() {
  impl_->look_at_doubts();
}
bool Directory::is_settled() const {
  return impl_->is_settled();
}

}  // namespace mcsteady::discovery
