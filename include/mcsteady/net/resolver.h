#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mcsteady/base/clock.h"
#include "mcsteady/base/result.h"
#include "mcsteady/net/address.h"
#include "mcsteady/net/event_loop.h"

namespace mcsteady::net {

struct ResolverOptions {
  std::vector<Endpoint> servers;               // numeric hosts; none: those of /etc/resolv.conf
  Duration timeout = std::chrono::seconds(2);  // of the first try; each round of tries doubles it
  int tries = 3;                               // of each server
};

struct LookupError {
  enum class Kind {
    NoSuchName,  // there is no such name, or no record of the kind that was asked for
    Timeout,     // no name server answered in time
    Failed,      // one answered that it cannot say, or what it answered made no sense
  } kind = Kind::Failed;
  std::string text;  // in words
};
const char* to_string(LookupError::Kind kind);

/// `ttl`: how long it may be kept, by what the name servers say; 0 for what comes from /etc/hosts.
struct AddressAnswer {
  std::vector<Address> addresses;  // at least one, in the order in which they are to be tried
  Duration ttl{0};
};
/// RFC 2782.
struct ServiceRecord {
  std::string target;
  std::uint16_t port = 0;
  std::uint16_t priority = 0;
  std::uint16_t weight = 0;
};
struct ServiceAnswer {
  std::vector<ServiceRecord> records;  // at least one
  Duration ttl{0};
};
using AddressCallback = std::function<void(Result<AddressAnswer, LookupError>)>;
using ServiceCallback = std::function<void(Result<ServiceAnswer, LookupError>)>;

/// Looks names up without blocking. /etc/hosts and search domains count as they do for the system's
/// own resolver; what was truncated over UDP is asked for again over TCP. Keeps nothing: who asks
/// looks at the TTL. Each callback comes once, in a later turn of the loop, and never after the
/// resolver is destroyed. Thread: its loop's.
class Resolver {
 public:
  virtual ~Resolver() = default;
  /// All A and AAAA records of a host, with its port. Numeric hosts need no resolver.
  virtual void find_addresses(const Endpoint& of, AddressCallback callback) = 0;
  /// The SRV records of a name.
  virtual void find_services(const std::string& name, ServiceCallback callback) = 0;
};

/// On c-ares. (libevent's evdns was the other candidate: it knows no SRV records and no TCP, and
/// tells the TTL of A and AAAA only.) `loop` outlives it. Fails with a sentence.
Result<std::unique_ptr<Resolver>, std::string> make_resolver(EventLoop& loop,
                                                             const ResolverOptions& options);

}  // namespace mcsteady::net
