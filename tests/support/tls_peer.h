#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/tls_handles.h"
#include "support/test_certificates.h"

namespace mcsteady::test {

/// The other end of a TLS connection: OpenSSL as it is, between two strings, so that a test holds
/// every byte of every record in its hand. Knows no socket and no loop.
class TlsPeer {
 public:
  struct Options {
    bool is_client = false;
    TestCertificates::Pair own{};  // empty: none
    int minimum_version = 0;       // as TLS1_2_VERSION; 0: any
    int maximum_version = 0;
    std::string ciphers = "DEFAULT@SECLEVEL=0";  // of TLS 1.2 and before: old ones too
  };
  explicit TlsPeer(const Options& options);

  /// Ciphertext that came from the other end.
  void take(std::string_view ciphertext);
  /// Ciphertext that is to go there, and is gone from here then.
  std::string give();
  /// A step of the handshake, with what has been taken. True: it is over.
  bool shake_hands();
  /// One record for each `record_max` bytes (at most 16,384), as they go to the other end.
  std::string seal(std::string_view plaintext, std::size_t record_max = 16384);
  /// What the records that have been taken say.
  std::string open();
  /// The record that says that no more will come.
  std::string close_notify();
  /// TLS 1.3: the record that says that the next ones are sealed with a new key, and asks the
  /// other end for the same.
  std::string update_key();
  /// TLS 1.2: the record that asks for another handshake.
  std::string renegotiate();
  /// Whether the other end has sent its close_notify.
  bool is_closed() const;

 private:
  net::SslContextPtr context_;
  net::SslPtr ssl_;
  BIO* came_;    // ssl_'s
  BIO* leaves_;  // ssl_'s
};

}  // namespace mcsteady::test
