#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcsteady/net/resolver.h"

namespace mcsteady::test {

/// A resolver whose every answer the test decides, on a simulated loop.
class SimResolver final : public net::Resolver {
 public:
  explicit SimResolver(net::EventLoop& loop) : loop_(loop) {}

  void set(const std::string& host, std::vector<std::string> addresses, Duration ttl = {}) {
    hosts_[host] = {std::move(addresses), ttl};
  }
  void set_services(const std::string& name, net::ServiceAnswer answer) {
    services_[name] = std::move(answer);
  }
  void remove(const std::string& name) {
    hosts_.erase(name);
    services_.erase(name);
  }
  /// What it answers, if not what it knows.
  void fail_with(net::LookupError::Kind kind) { failure_ = net::LookupError{kind, "as told"}; }
  void recover() { failure_.reset(); }
  /// Takes questions and does not answer them any more.
  void hang(bool on) { hangs_ = on; }
  void set_delay(Duration delay) { delay_ = delay; }
  int asked(const std::string& name) const {
    const auto found = asked_.find(name);
    return found == asked_.end() ? 0 : found->second;
  }

  void find_addresses(const net::Endpoint& of, net::AddressCallback callback) override {
    ++asked_[of.host];
    later([this, of, callback = std::move(callback)] {
      const auto found = hosts_.find(of.host);
      if (failure_ || found == hosts_.end()) return callback(Unexpected{error()});
      net::AddressAnswer answer{.addresses = {}, .ttl = found->second.second};
      for (const std::string& host : found->second.first) {
        answer.addresses.push_back(
            *net::numeric_address({.host = host, .port = of.port, .unix_path = {}}));
      }
      callback(answer);
    });
  }
  void find_services(const std::string& name, net::ServiceCallback callback) override {
    ++asked_[name];
    later([this, name, callback = std::move(callback)] {
      const auto found = services_.find(name);
      if (failure_ || found == services_.end()) return callback(Unexpected{error()});
      callback(found->second);
    });
  }

 private:
  net::LookupError error() const {
    return failure_.value_or(net::LookupError{net::LookupError::Kind::NoSuchName, "no such name"});
  }
  void later(std::function<void()> answer) {
    if (hangs_) return;
    auto& timer = pending_.emplace_back();
    timer = loop_.make_timer([answer = std::move(answer)](TimePoint) { answer(); });
    timer->set(loop_.now() + delay_);
  }

  net::EventLoop& loop_;
  std::map<std::string, std::pair<std::vector<std::string>, Duration>> hosts_;
  std::map<std::string, net::ServiceAnswer> services_;
  std::map<std::string, int> asked_;
  std::optional<net::LookupError> failure_;
  bool hangs_ = false;
  Duration delay_ = std::chrono::milliseconds(1);
  std::list<std::unique_ptr<net::Timer>> pending_;
};

}  // namespace mcsteady::test
