#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mcsteady/net/stream.h"
#include "support/rng.h"
#include "support/sim_link.h"

namespace mcsteady::test {

enum class Side : std::uint8_t { Client, Server };
constexpr Side other(Side side) {
  return side == Side::Client ? Side::Server : Side::Client;
}

/// What becomes of a connect that reaches the other host.
enum class ConnectFate : std::uint8_t {
  AsListening,  // accepted where someone listens, refused where nobody does
  Refuse,
  TimeOut,    // the kernel gives up after `connect_gives_up`: ETIMEDOUT
  Blackhole,  // no answer, ever
};

/// What the network between two hosts is like, in both directions.
struct PathConditions {
  LinkConditions to_server = {}, to_client = {};
  ConnectFate fate = ConnectFate::AsListening;
  Duration connect_delay = std::chrono::microseconds(100);  // there and back
  Duration connect_gives_up = std::chrono::seconds(130);    // Linux: about so, with its six SYNs
};

/// One simulated TCP or unix connection: two links, and how it came to be. Owner: SimNetwork, which
/// keeps it until both ends are gone and nothing is on its way.
class SimConnection {
 public:
  enum class Phase : std::uint8_t { SynSent, Established, Failed, Silent };

  SimConnection(std::uint64_t id, std::string key, const PathConditions& path, TimePoint now,
                Rng& rng);

  std::uint64_t id() const { return id_; }
  /// Where it leads, as the network names places.
  const std::string& key() const { return key_; }
  bool is_unix() const { return key_.front() == '/' || key_.front() == '@'; }
  SimLink& outgoing(Side side) { return side == Side::Client ? to_server_ : to_client_; }
  SimLink& incoming(Side side) { return outgoing(other(side)); }

  // The handshake.
  Phase phase() const { return phase_; }
  /// The client knows the outcome: phase() is final for it.
  bool settled(TimePoint now) const {
    return (phase_ == Phase::Established || phase_ == Phase::Failed) && now >= settles_at_;
  }
  const net::Breakage& failure() const { return failure_; }
  std::optional<TimePoint> syn_arrives() const;
  void establish();
  void fail(net::Breakage failure, TimePoint at);
  void silence() { phase_ = Phase::Silent; }
  /// The SYN found a full backlog or a held path and is sent again.
  void retry_syn(TimePoint at);
  const PathConditions& path() const { return path_; }

  // Its life.
  void arrive(TimePoint now);
  /// The earliest thing that will happen by itself.
  std::optional<TimePoint> next_happening(TimePoint now) const;
  /// As close(2) does: a FIN, or an RST where bytes were left unread.
  void close(Side side, TimePoint now);
  /// An RST at once.
  void reset(Side side, TimePoint now);
  void hold(bool on);
  /// Nobody at either end, nothing on the wire.
  bool is_over() const;
  net::TransportEvidence evidence(Side side, TimePoint now) const;

 private:
  const SimLink& link(Side from) const { return from == Side::Client ? to_server_ : to_client_; }
  void answer_the_dead(Side side, TimePoint now);

  std::uint64_t id_;
  std::string key_;
  PathConditions path_;
  SimLink to_server_;
  SimLink to_client_;
  Phase phase_ = Phase::SynSent;
  TimePoint syn_arrives_;
  TimePoint settles_at_;
  net::Breakage failure_{net::StreamError::ConnectFailed, 0};
  bool client_gone_ = false;
  bool server_gone_ = false;
};

}  // namespace mcsteady::test
