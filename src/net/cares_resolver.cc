#include "net/cares_resolver.h"

#include <arpa/nameser.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace mcsteady::net {

namespace {

template <auto Free>
struct FreeAres {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};
using AddressListPtr = std::unique_ptr<ares_addrinfo, FreeAres<ares_freeaddrinfo>>;
using ServiceListPtr = std::unique_ptr<ares_srv_reply, FreeAres<ares_free_data>>;

/// c-ares's global state is set up once and needed until the end.
int library_status() {
  static const int status = ares_library_init(ARES_LIB_INIT_ALL);
  return status;
}

LookupError error_of(int status) {
  using Kind = LookupError::Kind;
  Kind kind = Kind::Failed;
  if (status == ARES_ENOTFOUND || status == ARES_ENODATA) kind = Kind::NoSuchName;
  if (status == ARES_ETIMEOUT) kind = Kind::Timeout;
  return {.kind = kind, .text = ares_strerror(status)};
}

Address address_of(const ares_addrinfo_node& node, std::uint16_t port) {
  Address address;
  address.family = node.ai_family;
  address.size = static_cast<std::uint32_t>(node.ai_addrlen);
  std::memcpy(address.storage, node.ai_addr, node.ai_addrlen);
  // sin_port and sin6_port lie at the same place: behind the family.
  const std::uint16_t in_network_order = htons(port);
  std::memcpy(address.storage + sizeof(sa_family_t), &in_network_order, sizeof in_network_order);
  return address;
}

Duration shortest_ttl(const ares_addrinfo& found) {
  int ttl = std::numeric_limits<int>::max();
  for (const auto* node = found.nodes; node != nullptr; node = node->ai_next) {
    ttl = std::min(ttl, node->ai_ttl);
  }
  for (const auto* alias = found.cnames; alias != nullptr; alias = alias->next) {
    ttl = std::min(ttl, alias->ttl);
  }
  return std::chrono::seconds(std::max(ttl, 0));
}

/// The records are parsed by c-ares, which does not tell their TTL; so the C library does.
Duration shortest_ttl(const unsigned char* reply, int size) {
  ns_msg message;
  if (ns_initparse(reply, size, &message) != 0) return Duration{0};
  std::uint32_t ttl = std::numeric_limits<std::int32_t>::max();  // RFC 2181, section 8
  for (int i = 0; i < ns_msg_count(message, ns_s_an); ++i) {
    ns_rr record;
    if (ns_parserr(&message, ns_s_an, i, &record) == 0) ttl = std::min(ttl, ns_rr_ttl(record));
  }
  return std::chrono::seconds(ttl);
}

std::string in_csv(const std::vector<Endpoint>& servers) {
  std::string csv;
  for (const Endpoint& server : servers) csv += (csv.empty() ? "" : ",") + server.text();
  return csv;
}

}  // namespace

Result<std::unique_ptr<Resolver>, std::string> make_resolver(EventLoop& loop,
                                                             const ResolverOptions& options) {
  return CaresResolver::make(loop, options);
}

const char* to_string(LookupError::Kind kind) {
  switch (kind) {
    case LookupError::Kind::NoSuchName:
      return "no_such_name";
    case LookupError::Kind::Timeout:
      return "timeout";
    case LookupError::Kind::Failed:
      return "failed";
  }
  return "";
}

Result<std::unique_ptr<CaresResolver>, std::string> CaresResolver::make(
    EventLoop& loop, const ResolverOptions& options) {
  std::unique_ptr<CaresResolver> resolver(new CaresResolver(loop));
  if (auto opened = resolver->open(options); !opened) return Unexpected{opened.error()};
  return resolver;
}

CaresResolver::CaresResolver(EventLoop& loop) : loop_(loop) {
  timer_ = loop_.make_timer([this](TimePoint) { process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); });
}

CaresResolver::~CaresResolver() {
  if (channel_ != nullptr) ares_destroy(channel_);  // ends every query, which delivers nothing
}

Result<void, std::string> CaresResolver::open(const ResolverOptions& options) {
  const auto refuse = [](int status) {
    return Unexpected{std::string("cannot set up the resolver: ") + ares_strerror(status)};
  };
  if (library_status() != ARES_SUCCESS) return refuse(library_status());
  ares_options given{};
  given.timeout =
      static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(options.timeout).count());
  given.tries = options.tries;
  given.sock_state_cb = [](void* self, ares_socket_t socket, int to_read, int to_write) {
    static_cast<CaresResolver*>(self)->watch(socket,
                                             {.to_read = to_read != 0, .to_write = to_write != 0});
  };
  given.sock_state_cb_data = this;
  const int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  if (const int status = ares_init_options(&channel_, &given, mask); status != ARES_SUCCESS) {
    return refuse(status);
  }
  if (options.servers.empty()) return {};
  const std::string csv = in_csv(options.servers);
  const int status = ares_set_servers_ports_csv(channel_, csv.c_str());
  return status == ARES_SUCCESS ? Result<void, std::string>{} : refuse(status);
}

// ---- questions

void CaresResolver::find_addresses(const Endpoint& of, AddressCallback callback) {
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  auto query = std::make_unique<AddressQuery>(*this, of.host, of.port, std::move(callback));
  const std::string& host = query->host;
  // c-ares holds it until on_addresses().
  ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, on_addresses, query.release());
  arm_timer();
}

void CaresResolver::on_addresses(void* query, int status, int /*timeouts*/, ares_addrinfo* found) {
  const AddressListPtr list(found);
  const std::unique_ptr<AddressQuery> asked(static_cast<AddressQuery*>(query));
  if (status == ARES_EDESTRUCTION) return;
  Result<AddressAnswer, LookupError> answer = Unexpected{error_of(status)};
  if (status == ARES_SUCCESS && list && list->nodes != nullptr) {
    answer = AddressAnswer{.addresses = {}, .ttl = shortest_ttl(*list)};
    auto& addresses = answer->addresses;
    // Debian's memcached listens on 127.0.0.1 alone, and localhost's first address is often ::1.
    const bool old_first = asked->host == "localhost";
    std::ptrdiff_t old_ones = 0;
    for (const auto* node = list->nodes; node != nullptr; node = node->ai_next) {
      const bool goes_first = old_first && node->ai_family == AF_INET;
      const auto place = goes_first ? addresses.begin() + old_ones++ : addresses.end();
      addresses.insert(place, address_of(*node, asked->port));
    }
  } else if (status == ARES_SUCCESS) {
    answer = Unexpected{error_of(ARES_ENODATA)};
  }
  asked->resolver.deliver(
      [callback = std::move(asked->callback), answer = std::move(answer)] { callback(answer); });
}

void CaresResolver::find_services(const std::string& name, ServiceCallback callback) {
  auto query = std::make_unique<ServiceQuery>(*this, std::move(callback));
  ares_search(channel_, name.c_str(), ns_c_in, ns_t_srv, on_services, query.release());
  arm_timer();
}

void CaresResolver::on_services(void* query, int status, int /*timeouts*/, unsigned char* reply,
                                int size) {
  const std::unique_ptr<ServiceQuery> asked(static_cast<ServiceQuery*>(query));
  if (status == ARES_EDESTRUCTION) return;
  ares_srv_reply* found = nullptr;
  if (status == ARES_SUCCESS) status = ares_parse_srv_reply(reply, size, &found);
  const ServiceListPtr list(found);
  if (status == ARES_SUCCESS && !list) status = ARES_ENODATA;
  Result<ServiceAnswer, LookupError> answer = Unexpected{error_of(status)};
  if (status == ARES_SUCCESS) {
    answer = ServiceAnswer{.records = {}, .ttl = shortest_ttl(reply, size)};
    for (const ares_srv_reply* record = list.get(); record != nullptr; record = record->next) {
      answer->records.push_back({.target = record->host,
                                 .port = record->port,
                                 .priority = record->priority,
                                 .weight = record->weight});
    }
  }
  asked->resolver.deliver(
      [callback = std::move(asked->callback), answer = std::move(answer)] { callback(answer); });
}

void CaresResolver::deliver(std::function<void()> finished) {
  finished_.push_back(std::move(finished));
  loop_.in_next_turn(*this);
}

void CaresResolver::run() {
  // Taken out first: the last thing that a callback does may be to destroy this.
  const auto finished = std::exchange(finished_, {});
  for (const auto& each : finished) each();
}

// ---- sockets and time

void CaresResolver::watch(ares_socket_t socket, Ready wanted) {
  watches_.erase(socket);
  if (!wanted.to_read && !wanted.to_write) return;
  watches_[socket] = loop_.watch(socket, wanted, [this, socket](Ready ready) {
    process(ready.to_read ? socket : ARES_SOCKET_BAD, ready.to_write ? socket : ARES_SOCKET_BAD);
  });
}

void CaresResolver::process(ares_socket_t to_read, ares_socket_t to_write) {
  ares_process_fd(channel_, to_read, to_write);
  arm_timer();
}

void CaresResolver::arm_timer() {
  timeval wait{};
  if (ares_timeout(channel_, nullptr, &wait) == nullptr) return timer_->clear();
  const auto after = std::chrono::seconds(wait.tv_sec) + std::chrono::microseconds(wait.tv_usec);
  // c-ares counts whole milliseconds: one more, or its own clock may say that it is not due.
  timer_->set(loop_.now() + after + std::chrono::milliseconds(1));
}

}  // namespace mcsteady::net
