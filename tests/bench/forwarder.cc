// A proxy that does nothing: each client gets one connection to a server (of several, in turn), and
// bytes are copied both ways with recv and send, blindly. What a proxy of one connection a client
// cannot go below, for the comparison.
//
//   forwarder LISTEN SERVER...       endpoints as host:port or unix:/path

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/sockets.h"

namespace mcsteady::bench {
namespace {

/// One socket of a pair. What it receives goes out of `peer`.
struct Side {
  Fd socket;
  Side* peer = nullptr;
  std::string unsent;  // what this socket would not take yet; its peer is not read meanwhile
  std::uint32_t watched = EPOLLIN;
};

struct Pair {
  Side client, server;
  bool over = false;
};

class Forwarder {
 public:
  Forwarder(const std::string& listen, const std::vector<std::string>& servers)
      : listener_(listen_on(address_of(listen))) {
    for (const std::string& server : servers) servers_.push_back(address_of(server));
    epoll_.add(listener_.get(), EPOLLIN, nullptr);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events;
    for (;;) {
      const int count = epoll_wait(epoll_.fd(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        if (event.data.ptr == nullptr) {
          accept_all();
        } else {
          serve(*static_cast<Side*>(event.data.ptr), event.events);
        }
      }
      // Not sooner: a later event of the same batch may name the other side of a pair.
      if (any_over_) {
        std::erase_if(pairs_, [](const auto& pair) { return pair->over; });
        any_over_ = false;
      }
    }
  }

 private:
  void accept_all() {
    while (Fd socket = accept_from(listener_)) {
      pairs_.push_back(std::make_unique<Pair>());
      Pair& pair = *pairs_.back();
      pair.client.socket = std::move(socket);
      pair.server.socket = connect_to(servers_[next_server_++ % servers_.size()]);
      pair.client.peer = &pair.server;
      pair.server.peer = &pair.client;
      for (Side* side : {&pair.client, &pair.server}) {
        epoll_.add(side->socket.get(), EPOLLIN, side);
      }
    }
  }

  void serve(Side& side, std::uint32_t events) {
    if (!side.socket) return;  // closed by an earlier event of this batch
    if ((events & EPOLLOUT) != 0 && !send_unsent(side)) return;
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) copy(side);
  }

  /// From one socket to the other, until a receive comes back short.
  void copy(Side& from) {
    while (from.peer->unsent.empty()) {
      const ssize_t got = recv(from.socket.get(), buffer_.data(), buffer_.size(), 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (got <= 0) return end(from);
      if (!pass_on(*from.peer, static_cast<std::size_t>(got))) return;
      if (static_cast<std::size_t>(got) < buffer_.size()) return;
    }
  }

  bool pass_on(Side& to, std::size_t size) {
    const ssize_t sent = send(to.socket.get(), buffer_.data(), size, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
      end(to);
      return false;
    }
    const std::size_t taken = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    if (taken < size) {
      to.unsent.assign(buffer_.data() + taken, size - taken);
      watch(to, to.watched | EPOLLOUT);
      watch(*to.peer, to.peer->watched & ~static_cast<std::uint32_t>(EPOLLIN));
    }
    return true;
  }

  bool send_unsent(Side& to) {
    const ssize_t sent = send(to.socket.get(), to.unsent.data(), to.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
      end(to);
      return false;
    }
    if (sent > 0) to.unsent.erase(0, static_cast<std::size_t>(sent));
    if (to.unsent.empty()) {
      to.unsent.shrink_to_fit();
      watch(to, to.watched & ~static_cast<std::uint32_t>(EPOLLOUT));
      watch(*to.peer, to.peer->watched | EPOLLIN);
    }
    return true;
  }

  void watch(Side& side, std::uint32_t events) {
    if (side.watched == events) return;
    side.watched = events;
    epoll_.change(side.socket.get(), events, &side);
  }

  void end(Side& side) {
    for (const auto& pair : pairs_) {
      if (&pair->client == &side || &pair->server == &side) pair->over = true;
    }
    side.peer->socket = Fd();
    side.socket = Fd();
    any_over_ = true;
  }

  Fd listener_;
  std::vector<net::Address> servers_;
  std::size_t next_server_ = 0;
  Epoll epoll_;
  std::vector<std::unique_ptr<Pair>> pairs_;
  bool any_over_ = false;
  std::array<char, 262144> buffer_;  // one for all: bytes stay in it only while they are passed on
};

}  // namespace
}  // namespace mcsteady::bench

int main(int count, char** words) {
  if (count < 3) mcsteady::bench::fail("use: forwarder LISTEN SERVER...");
  std::signal(SIGTERM, [](int) { std::_Exit(0); });
  mcsteady::bench::Forwarder(words[1], {words + 2, words + count}).run();
}
