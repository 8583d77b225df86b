#include "support/tls_peer.h"

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace mcsteady::test {

TlsPeer::TlsPeer(const Options& options)
    : context_(SSL_CTX_new(options.is_client ? TLS_client_method() : TLS_server_method())),
      came_(BIO_new(BIO_s_mem())),
      leaves_(BIO_new(BIO_s_mem())) {
  SSL_CTX* const context = context_.get();
  SSL_CTX_set_cipher_list(context, options.ciphers.c_str());
  SSL_CTX_set_min_proto_version(context, options.minimum_version);
  SSL_CTX_set_max_proto_version(context, options.maximum_version);
  if (!options.own.certificate.empty()) {
    SSL_CTX_use_certificate_chain_file(context, options.own.certificate.c_str());
    SSL_CTX_use_PrivateKey_file(context, options.own.key.c_str(), SSL_FILETYPE_PEM);
  }
  ssl_.reset(SSL_new(context));
  SSL_set_bio(ssl_.get(), came_, leaves_);
  options.is_client ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
}

void TlsPeer::take(std::string_view ciphertext) {
  if (ciphertext.empty()) return;
  BIO_write(came_, ciphertext.data(), static_cast<int>(ciphertext.size()));
}

std::string TlsPeer::give() {
  std::string ciphertext(BIO_ctrl_pending(leaves_), '\0');
  if (ciphertext.empty()) return ciphertext;
  BIO_read(leaves_, ciphertext.data(), static_cast<int>(ciphertext.size()));
  return ciphertext;
}

bool TlsPeer::shake_hands() {
  ERR_clear_error();
  return SSL_do_handshake(ssl_.get()) == 1;
}

std::string TlsPeer::seal(std::string_view plaintext, std::size_t record_max) {
  std::string records = give();  // what OpenSSL had to say itself comes first
  while (!plaintext.empty()) {
    const std::string_view part = plaintext.substr(0, record_max);
    ERR_clear_error();
    const int written = SSL_write(ssl_.get(), part.data(), static_cast<int>(part.size()));
    assert(written == static_cast<int>(part.size()));
    static_cast<void>(written);
    plaintext.remove_prefix(part.size());
    records += give();
  }
  return records;
}

std::string TlsPeer::open() {
  std::string plaintext;
  std::array<char, 16384> part;
  ERR_clear_error();
  for (int count = 0; (count = SSL_read(ssl_.get(), part.data(), part.size())) > 0;) {
    plaintext.append(part.data(), static_cast<std::size_t>(count));
  }
  return plaintext;
}

std::string TlsPeer::close_notify() {
  SSL_shutdown(ssl_.get());
  return give();
}

std::string TlsPeer::update_key() {
  SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl_.get());
  return give();
}

std::string TlsPeer::renegotiate() {
  SSL_renegotiate(ssl_.get());
  SSL_do_handshake(ssl_.get());
  return give();
}

bool TlsPeer::is_closed() const {
  return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

}  // namespace mcsteady::test
