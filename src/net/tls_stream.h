#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/stream.h"
#include "net/handshake_gate.h"
#include "net/tls_context.h"
#include "net/tls_handles.h"

namespace mcsteady::net {

/// TLS over any stream. Ciphertext is in buffers of its own; plaintext goes straight into the
/// handler's room. A FIN without close_notify is an end of file all the same, and counted: every
/// reply says itself where it ends.
///
///   Connecting --> Handshake --> Open --> Closed      (accepted ones begin with Handshake)
class TlsStream final : public Stream, private Stream::Handler {
 public:
  /// `gate`: of an accepted one; null for one that connects. `peer`: for sessions.
  TlsStream(EventLoop& loop, TlsContext::Impl& context, Stream::Handler& handler,
            HandshakeGate* gate, std::string peer);
  ~TlsStream() override;
  void connect(const Address& to, const std::string& host);
  void accept(AcceptedSocket& socket);

  static int on_new_session(SSL* ssl, SSL_SESSION* session);  // of OpenSSL's, for clients

  void set_receiving(bool on) override;
  void flush() override;
  Found look() override;
  TransportEvidence evidence() const override;
  void close() override;
  void close_gently(std::span<const char> last) override;

 private:
  enum class State { Connecting, Handshake, Open, Closed };
  struct Step final : Task {
    Step(TlsStream& owner, void (TlsStream::*what)()) : stream(owner), work(what) {}
    void run() override { (stream.*work)(); }
    TlsStream& stream;
    void (TlsStream::*work)();
  };
  friend struct TlsBio;

  // Stream::Handler, of the stream below
  void on_connected() override;
  std::span<char> room() override;
  void on_received(std::size_t count) override;
  void on_end_of_file() override;
  std::size_t pieces(std::span<iovec> out) override;
  void on_sent(std::size_t count) override;
  void on_broken(Breakage breakage) override;

  void begin(const std::string& host);
  void shake_hands();
  void step_handshake();
  void finish_handshake();
  bool knows_client() const;
  bool say_goodbye();
  void on_handshake_timer();
  void deliver();
  bool fill(std::span<char> room, std::size_t& filled, int& why);
  void end_of_plaintext(int why);
  void report_end(bool truncated);
  void encrypt();
  std::size_t seal(std::span<const iovec> pieces);
  bool write_record(const char* data, std::size_t size);
  void continue_sending();
  void update_receiving();
  void break_off(Breakage breakage);
  std::span<const char> unsent() const {
    return {output_.data() + output_sent_, output_.size() - output_sent_};
  }

  EventLoop& loop_;
  TlsContext::Impl& context_;
  Stream::Handler& handler_;
  HandshakeGate* const gate_;
  const std::string peer_;
  State state_;
  bool receiving_ = true;
  bool held_back_ = false;    // plaintext may be here that receiving_ keeps from the handler
  bool below_ended_ = false;  // no more ciphertext comes
  bool end_reported_ = false;
  bool more_to_send_ = false;     // the output was full
  bool last_byte_waits_ = false;  // it is sealed, and the handler has not been told
  std::size_t reported_ = 0;      // bytes of plaintext
  std::vector<char> input_;
  std::size_t input_begin_ = 0, input_end_ = 0;
  std::vector<char> output_;
  std::size_t output_sent_ = 0;
  SslPtr ssl_;
  std::unique_ptr<Timer> handshake_timer_;
  Step shake_{*this, &TlsStream::step_handshake};
  Step deliver_{*this, &TlsStream::deliver};
  Step send_{*this, &TlsStream::continue_sending};
  std::unique_ptr<Stream> below_;
};

}  // namespace mcsteady::net
