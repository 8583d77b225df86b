#pragma once

#include <map>
#include <memory>
#include <string>

#include "discovery/lookup_schedule.h"
#include "mcsteady/base/log.h"
#include "mcsteady/discovery/metrics.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/resolver.h"
#include "mcsteady/upstream/shared_server.h"

namespace mcsteady::discovery {

/// What its parts need of a directory. Outlives them.
struct Context {
  net::EventLoop& loop;
  net::Resolver& resolver;
  upstream::Fleet& fleet;
  Log& log;
  Metrics& metrics;
  TtlLimits limits;
};

/// Keeps the addresses of servers that are given by name: looks them up, again when their TTL ends
/// or an incident makes them doubtful, and keeps the last good ones while that fails. A name is
/// dropped when nobody uses its server any more. Thread: its loop's.
class AddressBook {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The server has other addresses than before, or its first.
    virtual void on_addresses(const upstream::SharedServer& server) = 0;
  };

  AddressBook(const Context& context, Listener& listener);
  ~AddressBook();

  /// Numeric addresses and unix sockets are set at once. Cheap to repeat.
  void watch(const upstream::Fleet::ServerPtr& server);
  /// The server has had an incident: it may have moved.
  void doubt(const upstream::SharedServer& server);
  /// Each name has been answered for, or has failed, once.
  bool is_settled() const;

 private:
  struct Name {
    std::weak_ptr<upstream::SharedServer> server;
    LookupSchedule schedule;
    bool is_settled = false;
    int failures = 0;  // in a row
    TimePoint failure_logged_at{};
  };
  void ask_what_is_due();
  void ask(const std::string& key, Name& name, const upstream::SharedServer& server);
  void on_answer(const std::string& key,
                 const Result<net::AddressAnswer, net::LookupError>& answer);
  void on_found(Name& name, upstream::SharedServer& server, const net::AddressAnswer& answer);
  void on_failed(Name& name, const upstream::SharedServer& server, const net::LookupError& error);
  void arm_timer();

  const Context context_;
  Listener& listener_;
  std::map<std::string, Name> names_;  // by their servers' endpoints
  std::unique_ptr<net::Timer> timer_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // the resolver outlives it
};

}  // namespace mcsteady::discovery
