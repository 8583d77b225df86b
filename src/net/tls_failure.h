#pragma once

#include <openssl/ssl.h>

#include "mcsteady/net/stream.h"

namespace mcsteady::net {

/// Why OpenSSL would not go on, from its verdict on the peer's certificate and its error queue,
/// which this empties.
Breakage tls_breakage(const SSL* ssl);

/// The last entry of OpenSSL's error queue as a phrase, which this empties.
std::string take_tls_reason();

}  // namespace mcsteady::net
