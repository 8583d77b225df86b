#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/net/address.h"
#include "upstream/connection.h"
#include "upstream/upstream_fixture.h"

namespace mcsteady::upstream {

/// Writes down what a connection tells its server.
struct RecordingHost final : ConnectionHost {
  int answered = 0;
  int retired = 0;
  int closed = 0;
  std::vector<Incident> incidents;
  std::vector<TimeoutVerdict> excused;
  std::vector<ExchangePtr> again;

  void on_answered() override { ++answered; }
  void on_incident(const Incident& incident) override { incidents.push_back(incident); }
  void on_excused_wait(TimeoutVerdict verdict, const TimeoutEvidence&) override {
    excused.push_back(verdict);
  }
  void on_retired(Connection&) override { ++retired; }
  void on_closed(Connection&) override { ++closed; }
  void send_again(ExchangePtr exchange) override { again.push_back(std::move(exchange)); }

  std::vector<std::string> commands_again() const {
    std::vector<std::string> commands;
    for (const ExchangePtr& exchange : again) commands.emplace_back(exchange->command());
    return commands;
  }
};

/// One connection on a loop that the test moves. Wait: 250 ms.
class ConnectionTest : public UpstreamTest {
 protected:
  void open_unconnected() {
    connection.emplace(options, context, metrics, deadlines, static_cast<ConnectionHost&>(host));
    connection->open(net::numeric_address(options.endpoint));
  }
  void open() {
    open_unconnected();
    loop.dialed(0).connects();
  }
  test::MemoryStream& peer() { return loop.dialed(0).memory; }
  Connection::State state() const { return connection->state(); }

  /// Submits, and lets the turn end, so that it is sent.
  void ask(std::string_view command, Exchange::Owner& who,
           protocol::ReplyShape shape = protocol::ReplyShape::Items) {
    connection->submit(exchange(command, who, shape));
    loop.end_turn();
  }
  void ask(std::string_view command) { ask(command, owner); }
  void reply(std::string_view bytes) {
    peer().push(bytes);
    loop.end_turn();
  }

  DeadlineList deadlines;
  RecordingHost host;
  std::optional<Connection> connection;
};

using Heard = std::vector<std::string>;

}  // namespace mcsteady::upstream
