#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "net/tls_failure.h"

namespace mcsteady::net {
namespace {

constexpr std::size_t kRecordMax = 16384;  // RFC 8446, 5.1
constexpr std::size_t kInputSize = std::size_t{32} * 1024;
constexpr std::size_t kOutputFull = std::size_t{64} * 1024;  // then no more is encrypted
// A peer that asks for answers (key updates, handshakes) and takes none.
constexpr std::size_t kOutputMax = std::size_t{256} * 1024;
constexpr std::size_t kPiecesMax = 64;

}  // namespace

/// What OpenSSL takes for its network: the stream's two buffers.
struct TlsBio {
  static int read(BIO* bio, char* to, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const std::size_t here = stream.input_end_ - stream.input_begin_;
    const std::size_t count = std::min(here, static_cast<std::size_t>(size));
    // At the end of the file too: OpenSSL would give up sending, and the peer may be half closed.
    if (count == 0) {
      BIO_set_retry_read(bio);
      return -1;
    }
    std::memcpy(to, stream.input_.data() + stream.input_begin_, count);
    stream.input_begin_ += count;
    if (stream.input_begin_ == stream.input_end_) stream.input_begin_ = stream.input_end_ = 0;
    return static_cast<int>(count);
  }
  static int write(BIO* bio, const char* data, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (stream.unsent().size() > kOutputMax) return -1;
    stream.output_.insert(stream.output_.end(), data, data + size);
    return size;
  }
  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream");
      BIO_meth_set_read(method, read);
      BIO_meth_set_write(method, write);
      BIO_meth_set_ctrl(method, control);
      return method;
    }();
    return made;
  }
};

TlsStream::TlsStream(EventLoop& loop, TlsContext::Impl& context, Stream::Handler& handler,
                     HandshakeGate* gate, std::string peer)
    : loop_(loop),
      context_(context),
      handler_(handler),
      gate_(gate),
      peer_(std::move(peer)),
      state_(gate != nullptr ? State::Handshake : State::Connecting),
      input_(kInputSize),
      ssl_(context.connection()) {
  output_.reserve(kOutputFull / 2);
}

TlsStream::~TlsStream() {
  TlsStream::close();
  // Else OpenSSL takes the session for a bad one.
  if (ssl_) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

void TlsStream::begin(const std::string& host) {
  SSL* const ssl = ssl_.get();
  BIO* const bio = BIO_new(TlsBio::method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_app_data(ssl, this);
  if (context_.is_server) return SSL_set_accept_state(ssl);
  SSL_set_connect_state(ssl);
  const std::string& given = context_.client.server_name;
  const std::string& name = given.empty() ? host : given;
  const bool is_numeric = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1;
  ERR_clear_error();
  if (!is_numeric) {
    SSL_set1_host(ssl, name.c_str());
    SSL_set_tlsext_host_name(ssl, name.c_str());
  }
  context_.resume(peer_, *ssl);
}

void TlsStream::connect(const Address& to, const std::string& host) {
  begin(host);
  below_ = loop_.connect(to, *this);
}

void TlsStream::accept(AcceptedSocket& socket) {
  begin({});
  handshake_timer_ = loop_.make_timer([this](TimePoint) { on_handshake_timer(); });
  handshake_timer_->set(loop_.now() + context_.server.handshake_timeout);
  below_ = socket.start(*this);
}

int TlsStream::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto& stream = *static_cast<TlsStream*>(SSL_get_app_data(ssl));
  stream.context_.remember(stream.peer_, SslSessionPtr(session));
  return 1;  // the session is ours
}

// ---- handshake

void TlsStream::on_connected() {
  state_ = State::Handshake;
  step_handshake();
}

void TlsStream::shake_hands() {
  if (gate_ == nullptr) return step_handshake();
  gate_->enter(shake_);
  if (input_end_ == input_.size()) below_->set_receiving(false);
}

void TlsStream::step_handshake() {
  if (state_ != State::Handshake) return;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (!unsent().empty()) below_->flush();
  if (result == 1) return finish_handshake();
  if (SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ) {
    return break_off(tls_breakage(ssl_.get()));
  }
  if (below_ended_) return break_off({StreamError::TlsPeerClosed, 0, "end of file"});
  update_receiving();
}

void TlsStream::finish_handshake() {
  if (!knows_client()) {
    return break_off({StreamError::TlsNameMismatch, 0, "none of the client_names"});
  }
  using Count = TlsContext::Impl::Count;
  context_.count(Count::Handshakes);
  if (SSL_session_reused(ssl_.get()) == 1) context_.count(Count::Resumed);
  state_ = State::Open;
  if (handshake_timer_) handshake_timer_->clear();
  if (gate_ == nullptr) handler_.on_connected();
  if (state_ != State::Open) return;
  below_->flush();  // what was asked for meanwhile
  update_receiving();
  deliver();
}

bool TlsStream::knows_client() const {
  const auto& names = context_.server.client_names;
  if (names.empty()) return true;
  X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return !context_.server.client_required;
  return std::ranges::any_of(names, [&](const std::string& name) {
    return X509_check_host(certificate, name.c_str(), name.size(),
                           X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr) == 1;
  });
}

void TlsStream::on_handshake_timer() {
  if (state_ == State::Handshake) look();  // it may be we who are late
  if (state_ != State::Handshake) return;
  step_handshake();
  if (state_ == State::Handshake) break_off({StreamError::TlsTimeout, 0, "handshake timed out"});
}

// ---- receiving

std::span<char> TlsStream::room() {
  if (input_end_ == input_.size()) {  // a handshake that waits for its turn
    std::memmove(input_.data(), input_.data() + input_begin_, input_end_ - input_begin_);
    input_end_ -= std::exchange(input_begin_, 0);
    if (input_end_ == input_.size()) input_.resize(2 * input_.size());
  }
  return {input_.data() + input_end_, input_.size() - input_end_};
}

void TlsStream::on_received(std::size_t count) {
  input_end_ += count;
  if (state_ == State::Handshake) return shake_hands();
  const std::size_t before = reported_;
  deliver();
  const bool is_silent = state_ == State::Open && reported_ == before && !end_reported_;
  if (is_silent && receiving_) handler_.on_progress(count);
}

void TlsStream::on_end_of_file() {
  below_ended_ = true;
  if (state_ == State::Handshake) return step_handshake();
  deliver();
}

void TlsStream::deliver() {
  while (state_ == State::Open && !end_reported_) {
    held_back_ = !receiving_;
    if (!receiving_) return;
    const std::span<char> room = handler_.room();
    if (state_ != State::Open || !receiving_) continue;
    std::size_t filled = 0;
    int why = SSL_ERROR_NONE;
    const bool full = fill(room, filled, why);
    reported_ += filled;
    if (filled != 0) handler_.on_received(filled);
    if (!full && state_ == State::Open) return end_of_plaintext(why);
  }
}

/// A record holds at most 16 KiB: several may go into one room, so that less than a room is all
/// that there was. False: `why` says what came first.
bool TlsStream::fill(std::span<char> room, std::size_t& filled, int& why) {
  while (filled < room.size()) {
    std::size_t count = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_.get(), room.data() + filled, room.size() - filled, &count);
    if (result != 1) {
      why = SSL_get_error(ssl_.get(), result);
      return false;
    }
    filled += count;
  }
  return true;
}

void TlsStream::end_of_plaintext(int why) {
  if (!unsent().empty()) below_->flush();  // an answer of OpenSSL's own
  if (why == SSL_ERROR_WANT_READ) {
    if (below_ended_) report_end(true);
  } else if (why == SSL_ERROR_ZERO_RETURN) {
    report_end(false);
  } else {
    break_off(tls_breakage(ssl_.get()));
  }
}

void TlsStream::report_end(bool truncated) {
  held_back_ = !receiving_;
  if (!receiving_) return;  // set_receiving comes back to it
  end_reported_ = true;
  if (truncated) context_.count(TlsContext::Impl::Count::Truncated);
  update_receiving();
  handler_.on_end_of_file();
}

void TlsStream::update_receiving() {
  const bool wanted = state_ == State::Handshake || (receiving_ && !end_reported_);
  if (state_ != State::Closed && below_) below_->set_receiving(wanted);
}

void TlsStream::set_receiving(bool on) {
  receiving_ = on;
  if (state_ != State::Open) return;
  update_receiving();
  if (on && held_back_) loop_.in_next_turn(deliver_);
  if (!on) held_back_ = true;
}

Stream::Found TlsStream::look() {
  const std::size_t before = reported_;
  deliver();  // what OpenSSL holds first
  if (state_ != State::Closed && !end_reported_) below_->look();
  if (state_ == State::Closed) return Found::Broken;
  if (end_reported_) return Found::EndOfFile;
  return reported_ != before ? Found::Bytes : Found::Nothing;
}

// ---- sending

void TlsStream::flush() {
  if (state_ == State::Open) below_->flush();
}

std::size_t TlsStream::pieces(std::span<iovec> out) {
  if (state_ == State::Open) encrypt();
  if (state_ == State::Closed || unsent().empty()) return 0;
  out[0] = {output_.data() + output_sent_, output_.size() - output_sent_};
  return 1;
}

/// What is sealed is taken, but for the last byte: that is reported once all is with the stream
/// below, so that who closes when all has been sent loses nothing.
void TlsStream::encrypt() {
  more_to_send_ = false;
  output_.erase(output_.begin(), output_.begin() + static_cast<std::ptrdiff_t>(output_sent_));
  output_sent_ = 0;
  while (unsent().size() < kOutputFull) {
    std::array<iovec, kPiecesMax> given;
    const std::size_t count = handler_.pieces(given);
    if (count == 0 || state_ != State::Open) return;
    if (last_byte_waits_)
      given[0] = {static_cast<char*>(given[0].iov_base) + 1, given[0].iov_len - 1};
    std::size_t offered = 0;
    for (std::size_t i = 0; i < count; ++i) offered += given[i].iov_len;
    const std::size_t taken = seal(std::span(given).first(count));
    if (state_ != State::Open) return;
    const std::size_t told =
        taken != 0 && !std::exchange(last_byte_waits_, true) ? taken - 1 : taken;
    if (told != 0) handler_.on_sent(told);
    if (state_ != State::Open || (taken == offered && count < kPiecesMax)) return;
  }
  more_to_send_ = true;
}

/// Small pieces share a record: each costs its head, its tag and a call of the cipher.
std::size_t TlsStream::seal(std::span<const iovec> pieces) {
  std::array<char, kRecordMax> record;
  std::size_t gathered = 0, taken = 0;
  const auto write_gathered = [&] {
    if (gathered == 0) return true;
    const std::size_t size = std::exchange(gathered, 0);
    taken += size;
    return write_record(record.data(), size);
  };
  for (const iovec& piece : pieces) {
    const char* data = static_cast<const char*>(piece.iov_base);
    for (std::size_t left = piece.iov_len; left > 0;) {
      if (unsent().size() >= kOutputFull) return taken;
      std::size_t part = std::min(left, kRecordMax - gathered);
      if (gathered == 0 && left >= kRecordMax) {
        if (!write_record(data, part)) return taken;
        taken += part;
      } else {
        std::memcpy(record.data() + gathered, data, part);
        gathered += part;
        if (gathered == kRecordMax && !write_gathered()) return taken;
      }
      data += part;
      left -= part;
    }
  }
  write_gathered();
  return taken;
}

bool TlsStream::write_record(const char* data, std::size_t size) {
  std::size_t written = 0;
  ERR_clear_error();
  if (SSL_write_ex(ssl_.get(), data, size, &written) == 1 && written == size) return true;
  break_off(tls_breakage(ssl_.get()));
  return false;
}

void TlsStream::on_sent(std::size_t count) {
  output_sent_ += count;
  if (output_sent_ == output_.size()) {
    output_.clear();
    output_sent_ = 0;
    if (std::exchange(last_byte_waits_, false)) handler_.on_sent(1);
  }
  if (more_to_send_) loop_.in_next_turn(send_);
}

void TlsStream::continue_sending() {
  if (state_ == State::Open) below_->flush();
}

// ---- ending

void TlsStream::on_broken(Breakage breakage) {
  const bool shaking = state_ == State::Handshake;
  state_ = State::Closed;
  if (handshake_timer_) handshake_timer_->clear();
  if (shaking) {
    context_.count(TlsContext::Impl::Count::Failed);
    breakage.kind = StreamError::TlsPeerClosed;
    breakage.reason = std::strerror(breakage.error_number);
  }
  handler_.on_broken(std::move(breakage));
}

void TlsStream::break_off(Breakage breakage) {
  state_ = State::Closed;
  if (handshake_timer_) handshake_timer_->clear();
  context_.count(TlsContext::Impl::Count::Failed);
  below_->close_with(unsent());  // an alert says why
  handler_.on_broken(std::move(breakage));
}

void TlsStream::close() {
  if (say_goodbye()) below_->close_with(unsent());
}

void TlsStream::close_gently(std::span<const char> /*last*/) {
  if (say_goodbye()) below_->close_gently(unsent());
}

/// False: there is nobody to say it to.
bool TlsStream::say_goodbye() {
  if (state_ == State::Closed) return false;
  const bool was_open = std::exchange(state_, State::Closed) == State::Open;
  if (handshake_timer_) handshake_timer_->clear();
  if (!below_) return false;
  ERR_clear_error();
  if (was_open) SSL_shutdown(ssl_.get());
  return true;
}

TransportEvidence TlsStream::evidence() const {
  TransportEvidence evidence = below_->evidence();
  evidence.bytes_unread += input_end_ - input_begin_;
  evidence.bytes_unread += static_cast<std::uint64_t>(SSL_pending(ssl_.get()));
  evidence.bytes_unsent += unsent().size();
  evidence.in_handshake = state_ == State::Handshake;
  return evidence;
}

// ---- the front door

std::unique_ptr<Stream> TlsClient::connect(EventLoop& loop, const Address& to,
                                           const std::string& host, Stream::Handler& handler) {
  auto stream = std::make_unique<TlsStream>(loop, *impl_, handler, nullptr, host + ' ' + to.text());
  stream->connect(to, host);
  return stream;
}

TlsAcceptor::TlsAcceptor(EventLoop& loop, TlsServer& server)
    : loop_(loop),
      server_(server),
      gate_(std::make_unique<HandshakeGate>(loop, server.options().handshakes_per_turn)) {}
TlsAcceptor::~TlsAcceptor() = default;

std::unique_ptr<Stream> TlsAcceptor::start(AcceptedSocket& socket, Stream::Handler& handler) {
  auto stream = std::make_unique<TlsStream>(loop_, *server_.impl_, handler, gate_.get(), "");
  stream->accept(socket);
  return stream;
}

}  // namespace mcsteady::net
