#include "net/socket_listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "net/peer_of.h"
#include "net/socket_options.h"
#include "net/socket_stream.h"

namespace mcsteady::net {
namespace {

// Then the connections that are there have their turn.
constexpr int kAcceptsMax = 64;
constexpr auto kRest = std::chrono::milliseconds(100);

class AcceptedDescriptor final : public AcceptedSocket {
 public:
  AcceptedDescriptor(const Reactor& reactor, UniqueFd socket)
      : reactor_(reactor), socket_(std::move(socket)) {}
  std::unique_ptr<Stream> start(Stream::Handler& handler) override {
    return SocketStream::accept(reactor_, std::move(socket_), handler);
  }
  std::optional<Peer> peer() const override { return peer_of(socket_.get()); }

 private:
  const Reactor& reactor_;
  UniqueFd socket_;
};

Unexpected<std::string> cannot_listen(const Endpoint& endpoint, int error) {
  const std::string why = error == EADDRINUSE ? "address in use" : std::strerror(error);
  return Unexpected{"cannot listen on " + endpoint.text() + ": " + why};
}

bool bind_to(int socket, const Address& address) {
  return bind(socket, reinterpret_cast<const sockaddr*>(address.storage), address.size) == 0;
}

bool prepare_tcp(int socket, int family, bool share_port) {
  if (!set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1)) return false;
  if (share_port && !set_option(socket, SOL_SOCKET, SO_REUSEPORT, 1)) return false;
  return family != AF_INET6 || set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 1);
}

/// The file is left over where whoever bound it before was killed.
bool bind_unix(int socket, const Address& address, const std::string& path) {
  if (bind_to(socket, address)) return true;
  if (errno != EADDRINUSE || path.front() == '@') return false;
  if (UnixSocketFile::remove_stale(path)) return bind_to(socket, address);
  errno = EADDRINUSE;
  return false;
}

bool bind_socket(int socket, const Address& address, const ListenOptions& options) {
  if (address.family == AF_UNIX) return bind_unix(socket, address, options.endpoint.unix_path);
  return prepare_tcp(socket, address.family, options.share_port) && bind_to(socket, address);
}

Endpoint bound_endpoint(int socket, Endpoint asked) {
  if (asked.is_unix() || asked.port != 0) return asked;
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size) != 0) return asked;
  in_port_t port = 0;
  if (name.ss_family == AF_INET6) {
    port = reinterpret_cast<const sockaddr_in6*>(&name)->sin6_port;
  } else {
    port = reinterpret_cast<const sockaddr_in*>(&name)->sin_port;
  }
  asked.port = ntohs(port);
  return asked;
}

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/// Permissions and owner of the file, as asked for.
bool dress(const ListenOptions& options) {
  const char* const path = options.endpoint.unix_path.c_str();
  constexpr auto kSame = static_cast<std::uint32_t>(-1);
  if (options.unix_uid || options.unix_gid) {
    if (chown(path, options.unix_uid.value_or(kSame), options.unix_gid.value_or(kSame)) != 0) {
      return false;
    }
  }
  return options.unix_mode == 0 || chmod(path, options.unix_mode) == 0;
}

}  // namespace

Result<std::unique_ptr<Listener>, std::string> SocketListener::open(const Reactor& reactor,
                                                                    const ListenOptions& options,
                                                                    Handler& handler) {
  const Endpoint& endpoint = options.endpoint;
  if (endpoint.is_unix() && options.share_port) {
    return Unexpected{"cannot listen on " + endpoint.text() +
                      " more than once: a unix socket has one listener"};
  }
  if (options.shared_descriptor >= 0) {
    // All who share it wake up for a connection, and one of them gets it.
    UniqueFd shared(fcntl(options.shared_descriptor, F_DUPFD_CLOEXEC, 0));
    if (!shared) return cannot_listen(endpoint, errno);
    return std::make_unique<SocketListener>(reactor, std::move(shared), UnixSocketFile{{}},
                                            endpoint, handler);
  }
  const auto address = resolve_blocking(endpoint);
  if (!address) return Unexpected{"cannot listen on " + endpoint.text() + ": " + address.error()};
  UniqueFd socket(::socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket || !bind_socket(socket.get(), *address, options)) {
    return cannot_listen(endpoint, errno);
  }
  const bool has_file = endpoint.is_unix() && endpoint.unix_path.front() != '@';
  UnixSocketFile file(has_file ? endpoint.unix_path : std::string());
  // Nobody can connect before listen(), so nobody gets in under other permissions.
  if (has_file && !dress(options)) return cannot_listen(endpoint, errno);
  if (::listen(socket.get(), options.backlog) != 0) return cannot_listen(endpoint, errno);
  Endpoint bound = bound_endpoint(socket.get(), endpoint);
  return std::make_unique<SocketListener>(reactor, std::move(socket), std::move(file),
                                          std::move(bound), handler);
}

SocketListener::SocketListener(const Reactor& reactor, UniqueFd socket, UnixSocketFile file,
                               Endpoint endpoint, Handler& handler)
    : reactor_(reactor),
      handler_(handler),
      endpoint_(std::move(endpoint)),
      socket_(std::move(socket)),
      file_(std::move(file)),
      event_(event_new(
          reactor.base, socket_.get(), EV_READ | EV_PERSIST,
          [](evutil_socket_t, short, void* self) {
            static_cast<SocketListener*>(self)->accept_some();
          },
          this)),
      rest_timer_(reactor.timers.make_timer([this](TimePoint) { set_accepting(accepting_); })) {
  event_add(event_.get(), nullptr);
}

void SocketListener::set_accepting(bool on) {
  accepting_ = on;
  rest_timer_->clear();
  if (on) {
    event_add(event_.get(), nullptr);
  } else {
    event_del(event_.get());
  }
}

void SocketListener::accept_some() {
  for (int i = 0; i < kAcceptsMax && accepting_; ++i) {
    UniqueFd socket(accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      if (is_shortage(errno)) {
        rest();
        return;
      }
      continue;  // that connection is gone (ECONNABORTED, ...), or a signal came: the next
    }
    if (!endpoint_.is_unix()) set_accepted_tcp_options(socket.get());
    handler_.on_accepted(std::make_unique<AcceptedDescriptor>(reactor_, std::move(socket)));
  }
}

void SocketListener::rest() {
  event_del(event_.get());
  rest_timer_->set(reactor_.clock.now() + kRest);
}

}  // namespace mcsteady::net
