#pragma once

#include <ares.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mcsteady/net/resolver.h"

namespace mcsteady::net {

/// c-ares brings the questions, the retries and the parsing; its sockets are watched by the loop,
/// and its deadlines are one timer.
class CaresResolver final : public Resolver, private Task {
 public:
  static Result<std::unique_ptr<CaresResolver>, std::string> make(EventLoop& loop,
                                                                  const ResolverOptions& options);
  ~CaresResolver() override;
  CaresResolver(const CaresResolver&) = delete;
  CaresResolver& operator=(const CaresResolver&) = delete;

  void find_addresses(const Endpoint& of, AddressCallback callback) override;
  void find_services(const std::string& name, ServiceCallback callback) override;

 private:
  struct AddressQuery {
    CaresResolver& resolver;
    std::string host;
    std::uint16_t port;
    AddressCallback callback;
  };
  struct ServiceQuery {
    CaresResolver& resolver;
    ServiceCallback callback;
  };

  explicit CaresResolver(EventLoop& loop);
  Result<void, std::string> open(const ResolverOptions& options);
  void watch(ares_socket_t socket, Ready wanted);
  void process(ares_socket_t to_read, ares_socket_t to_write);
  void arm_timer();
  /// Later: a callback may ask for the next name, or destroy the resolver.
  void deliver(std::function<void()> finished);
  void run() override;

  static void on_addresses(void* query, int status, int timeouts, ares_addrinfo* found);
  static void on_services(void* query, int status, int timeouts, unsigned char* reply, int size);

  EventLoop& loop_;
  ares_channel channel_ = nullptr;
  std::map<ares_socket_t, std::unique_ptr<Watch>> watches_;
  std::unique_ptr<Timer> timer_;
  std::vector<std::function<void()>> finished_;
};

}  // namespace mcsteady::net
