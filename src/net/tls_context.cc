#include "net/tls_context.h"

#include <openssl/err.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "net/tls_failure.h"
#include "net/tls_stream.h"

namespace mcsteady::net {
namespace {

constexpr std::size_t kSessionsMax = 4096;
constexpr unsigned char kSessionContext[] = "mcsteady";

Unexpected<TlsFault> fault(const char* option, const std::string& what) {
  return Unexpected{TlsFault{option, what + ": " + take_tls_reason()}};
}

Result<void, TlsFault> read_authorities(SSL_CTX& context, const char* option,
                                        const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) {
    return Unexpected{TlsFault{option, "cannot read " + path + ": " + std::strerror(errno)}};
  }
  const bool is_directory = S_ISDIR(status.st_mode);
  const int read = is_directory ? SSL_CTX_load_verify_dir(&context, path.c_str())
                                : SSL_CTX_load_verify_file(&context, path.c_str());
  if (read != 1) return fault(option, "no certificates in " + path);
  if (is_directory || std::strcmp(option, "client_ca") != 0) return {};
  // Clients with several certificates choose by these names.
  SSL_CTX_set_client_CA_list(&context, SSL_load_client_CA_file(path.c_str()));
  return {};
}

}  // namespace

TlsContext::Impl::Impl(TlsClientOptions options)
    : is_server(false), own(options.own), client(std::move(options)) {}
TlsContext::Impl::Impl(TlsServerOptions options)
    : is_server(true), own(options.own), server(std::move(options)) {}

Result<void, TlsFault> TlsContext::Impl::read_own(SSL_CTX& made) const {
  const int minimum = own.minimum_version == TlsVersion::Tls13 ? TLS1_3_VERSION : TLS1_2_VERSION;
  SSL_CTX_set_min_proto_version(&made, minimum);
  if (!own.ciphers.empty() && SSL_CTX_set_cipher_list(&made, own.ciphers.c_str()) != 1) {
    return fault("ciphers", "OpenSSL knows none of them");
  }
  if (!own.ciphersuites.empty() && SSL_CTX_set_ciphersuites(&made, own.ciphersuites.c_str()) != 1) {
    return fault("ciphersuites", "OpenSSL does not know them");
  }
  if (own.certificate.empty()) return {};
  if (SSL_CTX_use_certificate_chain_file(&made, own.certificate.c_str()) != 1) {
    return fault("certificate", "cannot use " + own.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(&made, own.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fault("key", "cannot use " + own.key);
  }
  if (SSL_CTX_check_private_key(&made) != 1) {
    return fault("key", own.key + " does not belong to " + own.certificate);
  }
  return {};
}

Result<SslContextPtr, TlsFault> TlsContext::Impl::make() const {
  ERR_clear_error();
  SslContextPtr made(SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method()));
  if (!made) return fault("tls", "OpenSSL has no memory");
  SSL_CTX_set_options(made.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(made.get(), SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE);
  if (auto read = read_own(*made); !read) return Unexpected{read.error()};
  Result<void, TlsFault> authorities;
  if (is_server) {
    SSL_CTX_set_session_id_context(made.get(), kSessionContext, sizeof kSessionContext - 1);
    if (!server.client_ca.empty()) {
      authorities = read_authorities(*made, "client_ca", server.client_ca);
      const int required = server.client_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
      SSL_CTX_set_verify(made.get(), SSL_VERIFY_PEER | required, nullptr);
    }
  } else {
    SSL_CTX_set_session_cache_mode(made.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(made.get(), TlsStream::on_new_session);
    SSL_CTX_set_verify(made.get(), client.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    if (!client.ca.empty()) {
      authorities = read_authorities(*made, "ca", client.ca);
    } else {
      SSL_CTX_set_default_verify_paths(made.get());
    }
  }
  if (!authorities) return Unexpected{authorities.error()};
  return made;
}

SslPtr TlsContext::Impl::connection() const {
  const std::lock_guard lock(mutex);
  return SslPtr(context ? SSL_new(context.get()) : nullptr);
}

void TlsContext::Impl::count(Count what) {
  const std::lock_guard lock(mutex);  // so that there is one writer at a time
  switch (what) {
    case Count::Handshakes:
      return handshakes.add();
    case Count::Resumed:
      return resumed.add();
    case Count::Failed:
      return failed.add();
    case Count::Truncated:
      return truncated.add();
  }
}

void TlsContext::Impl::remember(const std::string& peer, SslSessionPtr session) {
  const std::lock_guard lock(mutex);
  if (sessions.size() >= kSessionsMax && !sessions.contains(peer)) sessions.clear();
  sessions[peer] = std::move(session);
}

void TlsContext::Impl::resume(const std::string& peer, SSL& ssl) {
  const std::lock_guard lock(mutex);
  const auto found = sessions.find(peer);
  if (found != sessions.end()) SSL_set_session(&ssl, found->second.get());
}

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

Result<void, TlsFault> TlsContext::load() {
  auto made = impl_->make();
  if (!made) return Unexpected{made.error()};
  const std::lock_guard lock(impl_->mutex);
  impl_->context = std::move(*made);
  impl_->sessions.clear();  // they were agreed on by the former rules
  return {};
}

std::vector<std::string> TlsContext::files() const {
  std::vector<std::string> files;
  for (const std::string& path :
       {impl_->own.certificate, impl_->own.key, impl_->client.ca, impl_->server.client_ca}) {
    if (!path.empty()) files.push_back(path);
  }
  return files;
}

std::optional<std::chrono::sys_seconds> TlsContext::expires() const {
  const std::lock_guard lock(impl_->mutex);
  const X509* const ours =
      impl_->context ? SSL_CTX_get0_certificate(impl_->context.get()) : nullptr;
  std::tm when{};
  if (ours == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(ours), &when) != 1) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(timegm(&when)));
}

void TlsContext::register_in(metrics::Registry& registry, const std::string& owner) const {
  registry.add({"tls_handshakes", owner}, impl_->handshakes);
  registry.add({"tls_resumed", owner}, impl_->resumed);
  registry.add({"tls_failures", owner}, impl_->failed);
  registry.add({"tls_truncations", owner}, impl_->truncated);
}

TlsClient::TlsClient(TlsClientOptions options)
    : TlsContext(std::make_unique<Impl>(options)), options_(std::move(options)) {}
TlsServer::TlsServer(TlsServerOptions options)
    : TlsContext(std::make_unique<Impl>(options)), options_(std::move(options)) {}

}  // namespace mcsteady::net
