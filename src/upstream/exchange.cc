#include "mcsteady/upstream/exchange.h"

#include <utility>

#include "upstream/connection.h"

namespace mcsteady::upstream {

namespace {
// More than this many idle exchanges go back to the heap: a burst does not stay for ever.
constexpr std::size_t kIdleMax = 4096;

struct Words {
  const char* name;    // in metrics and logs
  const char* phrase;  // in error lines
};
constexpr Words kWords[kFailureCount] = {
    {"server_late", "no reply in time"},
    {"network_lost", "no reply in time, network is losing packets"},
    {"request_deadline", "request took too long"},
    {"connect_timeout", "connect timed out"},
    {"connect_refused", "connection refused"},
    {"connect_failed", "cannot connect"},
    {"server_full", "server has too many connections"},
    {"our_shortage", "proxy has no descriptor or port left"},
    {"tls_expired", "certificate expired"},
    {"tls_unknown_ca", "certificate of an unknown authority"},
    {"tls_name_mismatch", "certificate of another name"},
    {"tls_timeout", "TLS handshake timed out"},
    {"tls_protocol", "no TLS version in common"},
    {"tls_no_shared_cipher", "no TLS cipher in common"},
    {"tls_peer_closed", "closed during the TLS handshake"},
    {"tls_certificate_refused", "client certificate refused"},
    {"tls_failed", "TLS failed"},
    {"connection_lost", "connection lost"},
    {"bad_reply", "bad reply"},
    {"value_too_large", "value too large"},
    {"no_memory", "proxy is out of memory"},
    {"server_down", "server is down"},
    {"no_servers", "no server has been found yet"},
    {"refused", "refused"},
};
}  // namespace

const char* to_string(Failure failure) {
  return kWords[static_cast<std::size_t>(failure)].name;
}
const char* describe(Failure failure) {
  return kWords[static_cast<std::size_t>(failure)].phrase;
}

void Exchange::give_up() {
  // One whose owner is being told of its end at this moment is still in its teller's hands.
  const bool wanted = std::exchange(owner, nullptr) != nullptr;
  if (wanted && connection_ != nullptr) connection_->on_given_up(*this);
}

ExchangePool::~ExchangePool() {
  while (idle_ != nullptr) delete std::exchange(idle_, idle_->next_);
}

ExchangePool::Ptr ExchangePool::make() {
  ++in_use_;
  if (idle_ == nullptr) return Ptr(new Exchange, GiveBack{this});
  Exchange* exchange = std::exchange(idle_, idle_->next_);
  --idle_count_;
  exchange->next_ = nullptr;
  return Ptr(exchange, GiveBack{this});
}

void ExchangePool::put(Exchange* exchange) noexcept {
  --in_use_;
  if (idle_count_ == kIdleMax) {
    delete exchange;
    return;
  }
  *exchange = Exchange{};
  exchange->next_ = std::exchange(idle_, exchange);
  ++idle_count_;
}

}  // namespace mcsteady::upstream
