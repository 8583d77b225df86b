#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace mcsteady::net {

template <auto Free>
struct FreeSsl {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};
using SslPtr = std::unique_ptr<SSL, FreeSsl<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, FreeSsl<SSL_CTX_free>>;
using SslSessionPtr = std::unique_ptr<SSL_SESSION, FreeSsl<SSL_SESSION_free>>;

}  // namespace mcsteady::net
