#pragma once

#include <map>
#include <mutex>
#include <string>

#include "mcsteady/metrics/metrics.h"
#include "mcsteady/net/tls.h"
#include "net/tls_handles.h"

namespace mcsteady::net {

/// What contexts share between threads. All but the options is guarded by the mutex, which is taken
/// once or twice a handshake.
struct TlsContext::Impl {
  enum class Count { Handshakes, Resumed, Failed, Truncated };

  explicit Impl(TlsClientOptions options);
  explicit Impl(TlsServerOptions options);

  Result<SslContextPtr, TlsFault> make() const;
  Result<void, TlsFault> read_own(SSL_CTX& made) const;
  /// A connection by what was last loaded; null where nothing has been.
  SslPtr connection() const;
  void count(Count what);
  /// A session to go on with, for the next connection to `peer`.
  void remember(const std::string& peer, SslSessionPtr session);
  void resume(const std::string& peer, SSL& ssl);

  const bool is_server;
  const TlsOptions own;
  const TlsClientOptions client{};
  const TlsServerOptions server{};
  mutable std::mutex mutex;
  SslContextPtr context;
  std::map<std::string, SslSessionPtr> sessions;
  metrics::Counter handshakes, resumed, failed, truncated;
};

}  // namespace mcsteady::net
