#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcsteady/base/clock.h"
#include "mcsteady/base/result.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/net/event_loop.h"

namespace mcsteady::net {

enum class TlsVersion : std::uint8_t { Tls12, Tls13 };

/// What both ends may say. Files are PEM.
struct TlsOptions {
  std::string certificate{};  // ours, with the chain behind it; empty: none
  std::string key{};          // of it
  TlsVersion minimum_version = TlsVersion::Tls12;
  std::string ciphers{};       // of TLS 1.2, as OpenSSL writes them; empty: its default
  std::string ciphersuites{};  // of TLS 1.3
  friend bool operator==(const TlsOptions&, const TlsOptions&) = default;
};

struct TlsClientOptions {
  TlsOptions own{};
  bool verify = true;         // the chain and the name
  std::string ca{};           // file or directory; empty: the system's
  std::string server_name{};  // empty: the host that is connected to
  friend bool operator==(const TlsClientOptions&, const TlsClientOptions&) = default;
};

struct TlsServerOptions {
  TlsOptions own{};
  std::string client_ca{};  // file or directory; empty: clients are not asked who they are
  bool client_required = true;
  std::vector<std::string> client_names{};  // one of them must be in the certificate; empty: any
  Duration handshake_timeout = std::chrono::seconds(5);
  int handshakes_per_turn = 2;  // steps of handshakes in one turn of the loop
  friend bool operator==(const TlsServerOptions&, const TlsServerOptions&) = default;
};

/// What is wrong with one of the options: its name, and a sentence.
struct TlsFault {
  std::string option;
  std::string message;
};

/// Certificates, keys and rules of one end, read from their files and read again when those
/// change: connections that are there keep what they began with.
/// Threads: any; all workers share one. Outlives its streams.
class TlsContext {
 public:
  struct Impl;

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  virtual ~TlsContext();

  /// Reads the files. On a fault all stays as it was.
  Result<void, TlsFault> load();
  /// Those that load() reads.
  std::vector<std::string> files() const;
  /// When our certificate expires; unset without one.
  std::optional<std::chrono::sys_seconds> expires() const;
  void register_in(metrics::Registry& registry, const std::string& owner) const;

 protected:
  explicit TlsContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The end that connects. Remembers a session of each server, so that the next handshake is cheap.
class TlsClient final : public TlsContext {
 public:
  explicit TlsClient(TlsClientOptions options);
  const TlsClientOptions& options() const { return options_; }

  /// As EventLoop::connect; on_connected says that the handshake is over too. `host`: whom the
  /// certificate must name unless the options say otherwise.
  std::unique_ptr<Stream> connect(EventLoop& loop, const Address& to, const std::string& host,
                                  Stream::Handler& handler);

 private:
  const TlsClientOptions options_;
};

/// The end that accepts.
class TlsServer final : public TlsContext {
 public:
  explicit TlsServer(TlsServerOptions options);
  const TlsServerOptions& options() const { return options_; }

 private:
  friend class TlsAcceptor;
  const TlsServerOptions options_;
};

class HandshakeGate;

/// Puts TLS over what a listener accepts. Handshakes take turns, so that those who want only that
/// do not keep the others waiting. Thread: its loop's. Outlives its streams.
class TlsAcceptor {
 public:
  TlsAcceptor(EventLoop& loop, TlsServer& server);
  ~TlsAcceptor();
  TlsAcceptor(const TlsAcceptor&) = delete;
  TlsAcceptor& operator=(const TlsAcceptor&) = delete;

  /// As AcceptedSocket::start. A handshake that fails is on_broken.
  std::unique_ptr<Stream> start(AcceptedSocket& socket, Stream::Handler& handler);

 private:
  EventLoop& loop_;
  TlsServer& server_;
  std::unique_ptr<HandshakeGate> gate_;
};

}  // namespace mcsteady::net
