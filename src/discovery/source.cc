#include "discovery/source.h"

#include <utility>

#include "discovery/cluster_source.h"
#include "discovery/listings.h"

namespace mcsteady::discovery {

namespace {
/// Passes a resolver's answer on as a listing, unless whoever asked has gone.
class ResolverSource : public Source {
 protected:
  explicit ResolverSource(net::Resolver& resolver) : resolver_(resolver) {}

  template <class Answer>
  auto pass_on(ListingCallback callback) {
    return [callback = std::move(callback),
            alive = std::weak_ptr<bool>(alive_)](const Result<Answer, net::LookupError>& answer) {
      if (alive.expired()) return;
      if (!answer) return callback(Unexpected{answer.error().text});
      callback(listing_of(*answer));
    };
  }
  net::Resolver& resolver_;

 private:
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // its callbacks outlive it
};

class DnsSource final : public ResolverSource {
 public:
  DnsSource(net::Resolver& resolver, net::Endpoint at)
      : ResolverSource(resolver), at_(std::move(at)) {}
  void ask(ListingCallback callback) override {
    resolver_.find_addresses(at_, pass_on<net::AddressAnswer>(std::move(callback)));
  }

 private:
  const net::Endpoint at_;
};

class SrvSource final : public ResolverSource {
 public:
  SrvSource(net::Resolver& resolver, std::string name)
      : ResolverSource(resolver), name_(std::move(name)) {}
  void ask(ListingCallback callback) override {
    resolver_.find_services(name_, pass_on<net::ServiceAnswer>(std::move(callback)));
  }

 private:
  const std::string name_;
};
}  // namespace

std::unique_ptr<Source> make_source(const routing::PoolOptions& options, net::EventLoop& loop,
                                    net::Resolver& resolver) {
  using Kind = routing::SourceOptions::Kind;
  const routing::SourceOptions& source = options.source;
  switch (source.kind) {
    case Kind::Dns:
      return std::make_unique<DnsSource>(resolver, source.at);
    case Kind::Srv:
      return std::make_unique<SrvSource>(resolver, source.at.host);
    case Kind::ElastiCache:
      return std::make_unique<ClusterSource>(loop, resolver, source, options.common.tls);
    case Kind::List:
      break;
  }
  return nullptr;
}

}  // namespace mcsteady::discovery
