#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/tls.h"
#include "support/memcached_model.h"

namespace mcsteady::test {

/// What a server does in place of simply answering a request. memcached answers in order, so a
/// delay holds up what is behind it on the same connection.
struct ServerAct {
  enum class End { None, Close, Reset };

  Duration delay{0};                 // before the reply; longer than a client waits: a late answer
  bool hang = false;                 // neither this nor a later request here is ever answered
  std::optional<std::string> reply;  // in place of the right one
  std::string stray;                 // bytes in front of the reply that nobody asked for
  std::optional<std::size_t> cut;    // only so many bytes of the reply are sent before `end`
  End end = End::None;               // what follows the reply
  /// The rest of the reply comes so much after the first half (a value that pauses).
  Duration pause_in_the_middle{0};

  static ServerAct answer() { return {}; }
  static ServerAct answer_after(Duration delay);
  static ServerAct never_answer();
  static ServerAct answer_with(std::string reply);
  static ServerAct break_off_after(std::size_t bytes, End end = End::Close);
  static ServerAct close_without_answer();
  static ServerAct reset_without_answer();
};

/// A memcached that does what a test tells it to. What it stores is a MemcachedModel; each request
/// is executed when it arrives, whenever it is answered. Runs on any loop, best on one of its own.
/// Destroying it closes the port and every connection. Thread: its loop's.
class ScriptedServer final : public net::Listener::Handler {
 public:
  using Script = std::function<ServerAct(const MemcachedCommand&)>;

  /// `tls`: what it speaks, and outlives it; null: none.
  ScriptedServer(net::EventLoop& loop, const net::Endpoint& at, net::TlsServer* tls = nullptr);
  ~ScriptedServer() override;
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  net::Endpoint endpoint() const { return endpoint_; }
  net::Address address() const;
  MemcachedModel& items() { return items_; }

  // The script. What next() holds goes first, one for each request; then script() is asked; a
  // server with neither answers at once.
  void next(ServerAct act) { next_.push_back(std::move(act)); }
  void script(Script script) { script_ = std::move(script); }

  // What happens to it as a whole.
  void send_stray(std::string_view bytes);  // on every connection, unasked
  void close_connections();                 // as idle_timeout does
  void set_receiving(bool on);              // off: does not read, as a stopped process
  void stop();                              // closes the port and every connection: it was killed
  void start();                             // again, without its items

  // What it saw.
  const std::vector<std::string>& requests() const { return requests_; }  // lines, in order
  std::size_t count(std::string_view verb) const;
  std::size_t connections() const;  // open now
  std::size_t connections_accepted() const { return accepted_; }

  void on_accepted(std::unique_ptr<net::AcceptedSocket> socket) override;

 private:
  friend class ScriptedConnection;

  ServerAct act_for(const MemcachedCommand& command);
  void forget_closed();

  net::EventLoop& loop_;
  net::Endpoint endpoint_;
  std::unique_ptr<net::TlsAcceptor> tls_;
  MemcachedModel items_;
  std::deque<ServerAct> next_;
  Script script_;
  std::vector<std::string> requests_;
  std::size_t accepted_ = 0;
  bool receiving_ = true;
  std::vector<std::unique_ptr<class ScriptedConnection>> connections_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace mcsteady::test
