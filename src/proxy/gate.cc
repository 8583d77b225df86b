#include "proxy/gate.h"

#include <utility>

#include "proxy/client_connection.h"
#include "proxy/worker_context.h"

namespace mcsteady::proxy {

Gate::Gate(WorkerContext& context, Authenticator& authenticator)
    : ReplySlot(context.blocks), context_(context), authenticator_(authenticator) {}

Gate::~Gate() {
  if (question_) question_->gate = nullptr;
}

void Gate::attempt(ClientConnection& client, TimePoint now, std::string_view user,
                   std::string_view password, Replies replies) {
  begin(client, now);
  state_ = State::Deciding;
  replies_ = std::move(replies);
  switch (ask(user, password)) {
    case Authenticator::Verdict::Accepted:
      return decide(true);
    case Authenticator::Verdict::Refused:
      return decide(false);
    case Authenticator::Verdict::Later:
      return;
    case Authenticator::Verdict::Busy:
      context_.metrics.auth_busy.add();
      return reply(State::Shut, replies_.busy);
  }
}

Authenticator::Verdict Gate::ask(std::string_view user, std::string_view password) {
  question_ = std::make_shared<Question>(this);
  // The loop outlives the background's work; this gate may not.
  return authenticator_.check(user, password,
                              [&loop = context_.loop, question = question_](bool accepted) {
                                loop.post([question, accepted] {
                                  if (question->gate != nullptr) question->gate->decide(accepted);
                                });
                              });
}

void Gate::decide(bool accepted) {
  if (accepted) {
    context_.metrics.auth_accepted.add();
    return reply(State::Open, replies_.accepted);
  }
  context_.metrics.auth_failures.add();
  const Duration delay = context_.options.auth.failure_delay;
  if (delay == Duration{0}) return refuse();
  if (!delay_) delay_ = context_.loop.make_timer([this](TimePoint) { refuse(); });
  delay_->set(client_->now() + delay);
}

void Gate::refuse() {
  const bool was_last = ++failures_ >= context_.options.auth.tries_max;
  if (was_last) client_->end_with(CloseCause::AuthFailed);
  reply(State::Shut, replies_.refused);
}

/// The wait was for us, or wanted: it is no part of what requests take.
void Gate::reply(State next, std::string_view text) {
  state_ = next;
  started_ = client_->now();
  write(text);
  finish();
}

void Gate::give_up() {
  if (question_) question_->gate = nullptr;
  if (delay_) delay_->clear();
}

}  // namespace mcsteady::proxy
