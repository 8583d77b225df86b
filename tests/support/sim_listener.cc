#include "support/sim_listener.h"

#include <utility>

#include "support/sim_connection.h"
#include "support/sim_loop.h"
#include "support/sim_network.h"
#include "support/sim_stream.h"

namespace mcsteady::test {

/// A connection between accept() and start().
class SimAcceptedSocket final : public net::AcceptedSocket {
 public:
  SimAcceptedSocket(SimLoop& loop, SimConnection& connection)
      : loop_(loop), connection_(&connection) {}
  ~SimAcceptedSocket() override {
    if (connection_ != nullptr) connection_->close(Side::Server, loop_.now());
  }
  std::unique_ptr<net::Stream> start(net::Stream::Handler& handler) override {
    SimConnection& connection = *std::exchange(connection_, nullptr);
    return std::make_unique<SimStream>(loop_, connection, Side::Server, handler);
  }
  std::optional<net::Peer> peer() const override { return loop_.peer(); }

 private:
  SimLoop& loop_;
  SimConnection* connection_;
};

SimListener::SimListener(SimLoop& loop, net::ListenOptions options, Handler& handler)
    : loop_(loop), options_(std::move(options)), handler_(handler) {
  loop_.listeners_.push_back(this);
}

SimListener::~SimListener() {
  if (destroyed_ != nullptr) *destroyed_ = true;
  std::erase(loop_.listeners_, this);
  loop_.network().unbind(*this);
  for (SimConnection* waiting : backlog_) waiting->reset(Side::Server, loop_.now());
}

bool SimListener::offer(SimConnection& connection) {
  if (backlog_.size() >= static_cast<std::size_t>(options_.backlog)) return false;
  backlog_.push_back(&connection);
  return true;
}

void SimListener::run_ready() {
  bool destroyed = false;
  destroyed_ = &destroyed;
  for (std::size_t left = backlog_.size(); left > 0 && accepting_; --left) {
    SimConnection& next = *backlog_.front();
    backlog_.pop_front();
    loop_.network().note('a', next.id());
    handler_.on_accepted(std::make_unique<SimAcceptedSocket>(loop_, next));
    if (destroyed) return;
  }
  destroyed_ = nullptr;
}

}  // namespace mcsteady::test
