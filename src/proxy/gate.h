#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mcsteady/net/event_loop.h"
#include "mcsteady/proxy/authenticator.h"
#include "proxy/reply_slot.h"

namespace mcsteady::proxy {

struct WorkerContext;

/// What a client must pass before anything else of it is looked at: its attempts to say who it is,
/// one at a time, and the place of the one under way in the reply order.
///
///   Shut --(attempt)--> Deciding --(accepted)-----------> Open
///                       Deciding --(refused, delayed)---> Shut, and after tries_max the end
///
/// Owner: its client. Thread: its worker's.
class Gate final : public ReplySlot {
 public:
  /// What the client is told, in the words of its protocol.
  struct Replies {
    std::string accepted, refused, busy;
  };

  Gate(WorkerContext& context, Authenticator& authenticator);
  ~Gate() override;

  bool is_open() const { return state_ == State::Open; }
  bool is_deciding() const { return state_ == State::Deciding; }
  /// The client has appended it to its reply order.
  void attempt(ClientConnection& client, TimePoint now, std::string_view user,
               std::string_view password, Replies replies);

  void give_up() override;
  void recycle() override { clear(); }

 private:
  enum class State { Shut, Deciding, Open };
  /// Ties a verdict that comes from another thread to the gate that waits for it. Shared, because
  /// either may end first. Only the worker's thread looks at `gate`.
  struct Question {
    Gate* gate;
  };

  Authenticator::Verdict ask(std::string_view user, std::string_view password);
  void decide(bool accepted);
  void refuse();
  void reply(State next, std::string_view text);

  WorkerContext& context_;
  Authenticator& authenticator_;
  State state_ = State::Shut;
  int failures_ = 0;
  Replies replies_;
  std::shared_ptr<Question> question_;
  std::unique_ptr<net::Timer> delay_;  // of the answer to a failed attempt
};

}  // namespace mcsteady::proxy
