#include "net/socket_stream.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <utility>

#include "net/socket_options.h"

namespace mcsteady::net {
namespace {

// What one stream may receive in one turn before the others have theirs.
constexpr int kReadsMax = 16;
constexpr std::size_t kReceiveMax = std::size_t{2} << 20;
// And send: a peer that takes everything at once could keep us here.
constexpr int kWritesMax = 16;
constexpr std::size_t kPiecesMax = 64;

StreamError connect_error_kind(int error) {
  switch (error) {
    case ECONNREFUSED:
      return StreamError::Refused;
    case ECONNRESET:
      return StreamError::Reset;
    case EHOSTUNREACH:
    case ENETUNREACH:
      return StreamError::Unreachable;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EADDRNOTAVAIL:  // of a connect: no ephemeral port is left
      return StreamError::OurShortage;
    default:
      return StreamError::ConnectFailed;
  }
}

StreamError receive_error_kind(int error) {
  switch (error) {
    case ECONNRESET:
      return StreamError::Reset;
    case EHOSTUNREACH:
    case ENETUNREACH:
      return StreamError::Unreachable;
    default:
      return StreamError::ReceiveFailed;
  }
}

}  // namespace

const char* to_string(StreamError error) {
  switch (error) {
    case StreamError::Refused:
      return "connection refused";
    case StreamError::Reset:
      return "connection reset";
    case StreamError::Unreachable:
      return "unreachable";
    case StreamError::ConnectFailed:
      return "connect failed";
    case StreamError::OurShortage:
      return "no descriptor, port or memory left";
    case StreamError::SendFailed:
      return "send failed";
    case StreamError::ReceiveFailed:
      return "receive failed";
    case StreamError::TlsExpired:
      return "certificate expired";
    case StreamError::TlsUnknownCa:
      return "certificate of an unknown authority";
    case StreamError::TlsNameMismatch:
      return "certificate of another name";
    case StreamError::TlsTimeout:
      return "TLS handshake timed out";
    case StreamError::TlsProtocol:
      return "no TLS version in common";
    case StreamError::TlsNoSharedCipher:
      return "no cipher in common";
    case StreamError::TlsPeerClosed:
      return "closed during the TLS handshake";
    case StreamError::TlsCertificateRefused:
      return "certificate refused";
    case StreamError::TlsFailed:
      return "TLS failed";
  }
  return "unknown";
}

bool is_of_tls(StreamError error) {
  switch (error) {
    case StreamError::Refused:
    case StreamError::Reset:
    case StreamError::Unreachable:
    case StreamError::ConnectFailed:
    case StreamError::OurShortage:
    case StreamError::SendFailed:
    case StreamError::ReceiveFailed:
      return false;
    case StreamError::TlsExpired:
    case StreamError::TlsUnknownCa:
    case StreamError::TlsNameMismatch:
    case StreamError::TlsTimeout:
    case StreamError::TlsProtocol:
    case StreamError::TlsNoSharedCipher:
    case StreamError::TlsPeerClosed:
    case StreamError::TlsCertificateRefused:
    case StreamError::TlsFailed:
      return true;
  }
  return false;
}

std::unique_ptr<SocketStream> SocketStream::connect(const Reactor& reactor, const Address& to,
                                                    Handler& handler) {
  UniqueFd socket(::socket(to.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int error = socket ? 0 : errno;
  std::unique_ptr<SocketStream> stream(
      new SocketStream(reactor, std::move(socket), State::Connecting, handler));
  stream->connect_error_ = error;
  stream->start_connecting(to);
  return stream;
}

std::unique_ptr<SocketStream> SocketStream::accept(const Reactor& reactor, UniqueFd socket,
                                                   Handler& handler) {
  std::unique_ptr<SocketStream> stream(
      new SocketStream(reactor, std::move(socket), State::Open, handler));
  stream->update_reading();
  return stream;
}

SocketStream::SocketStream(const Reactor& reactor, UniqueFd socket, State state, Handler& handler)
    : reactor_(reactor), handler_(handler), state_(state), socket_(std::move(socket)) {
  if (!socket_) return;
  read_event_.reset(event_new(
      reactor_.base, socket_.get(), EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) {
        static_cast<SocketStream*>(self)->receive(kReadsMax);
      },
      this));
}

void SocketStream::start_connecting(const Address& to) {
  if (socket_) {
    if (to.family != AF_UNIX) set_outgoing_tcp_options(socket_.get());
    const auto* address = reinterpret_cast<const sockaddr*>(to.storage);
    const int result = ::connect(socket_.get(), address, to.size);
    // A connection that is there at once is writable at once: the same road.
    if (result == 0 || errno == EINPROGRESS || errno == EINTR) {
      wait_until_writable();
      return;
    }
    connect_error_ = errno;
  }
  reactor_.next_turn.add(fail_task_);
}

void SocketStream::finish_connecting() {
  if (state_ != State::Connecting) return;
  int error = connect_error_;
  if (error == 0) {
    socklen_t size = sizeof error;
    if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  }
  if (error != 0) {
    break_off(connect_error_kind(error), error);
    return;
  }
  state_ = State::Open;
  event_del(write_event_.get());
  update_reading();
  handler_.on_connected();
  flush();  // what was asked for while there was no connection
}

void SocketStream::update_reading() {
  const bool wanted = state_ == State::Open && receiving_ && !end_of_file_;
  if (wanted == reading_) return;
  reading_ = wanted;
  if (wanted) {
    event_add(read_event_.get(), nullptr);
  } else {
    event_del(read_event_.get());
  }
}

void SocketStream::set_receiving(bool on) {
  receiving_ = on;
  update_reading();
}

/// Made when it is first needed: most clients take all that they are sent at once.
void SocketStream::wait_until_writable() {
  if (!write_event_) {
    write_event_.reset(event_new(
        reactor_.base, socket_.get(), EV_WRITE,
        [](evutil_socket_t, short, void* self) { static_cast<SocketStream*>(self)->on_writable(); },
        this));
  }
  event_add(write_event_.get(), nullptr);
}

void SocketStream::on_writable() {
  if (state_ == State::Connecting) {
    finish_connecting();
  } else {
    send();
  }
}

// A receive that filled less than its room has emptied the socket. It is not followed by another
// that would only learn EAGAIN.
Stream::Found SocketStream::receive(int reads_max) {
  Found found = Found::Nothing;
  std::size_t total = 0;
  for (int reads = 0; reads < reads_max && total < kReceiveMax; ++reads) {
    const Step step = receive_once();
    if (step == Step::EndOfFile) return Found::EndOfFile;
    if (step == Step::Failed) {
      break_off(receive_error_kind(receive_error_), receive_error_);
      return Found::Broken;
    }
    if (received_ != 0) found = Found::Bytes;
    if (step != Step::FilledRoom) break;
    total += received_;
  }
  return found;
}

SocketStream::Step SocketStream::receive_once() {
  received_ = 0;
  const std::span<char> room = handler_.room();
  if (state_ != State::Open) return Step::Stopped;
  assert(!room.empty());  // a receive of nothing would look like the end of the file
  ssize_t result = 0;
  do {
    result = reactor_.calls.receive(socket_.get(), room.data(), room.size(), 0);
  } while (result < 0 && errno == EINTR);
  if (result < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Step::Nothing;
    receive_error_ = errno;
    return Step::Failed;
  }
  if (result == 0) {
    end_of_file_ = true;
    update_reading();
    handler_.on_end_of_file();
    return Step::EndOfFile;
  }
  received_ = static_cast<std::size_t>(result);
  reactor_.bytes_came = true;
  handler_.on_received(received_);
  if (state_ != State::Open || !receiving_) return Step::Stopped;
  return received_ == room.size() ? Step::FilledRoom : Step::Short;
}

Stream::Found SocketStream::look() {
  if (state_ == State::Connecting && socket_ && connect_error_ == 0) {
    pollfd writable{.fd = socket_.get(), .events = POLLOUT, .revents = 0};
    if (reactor_.calls.poll(&writable, 1, 0) > 0) finish_connecting();
  }
  if (state_ == State::Closed) return Found::Broken;
  if (end_of_file_) return Found::EndOfFile;
  if (state_ == State::Connecting || !receiving_) return Found::Nothing;
  pollfd readable{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  const bool shown = reactor_.calls.poll(&readable, 1, 0) > 0;
  return receive(shown ? kReadsMax : 1);
}

void SocketStream::flush() {
  // While the write event waits, or there is no connection, pieces() is asked later anyhow.
  if (state_ != State::Open || waits_until_writable()) return;
  flush_task_.cancel();
  reactor_.turn_end.add(flush_task_);
}

void SocketStream::flush_later() {
  if (state_ != State::Open || waits_until_writable()) return;
  reactor_.quiet.add(flush_task_);
}

void SocketStream::send() {
  for (int writes = 0; writes < kWritesMax; ++writes) {
    if (state_ != State::Open) return;
    if (!send_once()) return;
  }
  if (state_ == State::Open) wait_until_writable();
}

/// True where there may be more to send at once.
bool SocketStream::send_once() {
  std::array<iovec, kPiecesMax> pieces;
  const std::size_t count = handler_.pieces(pieces);
  if (count == 0 || state_ != State::Open) return false;
  std::size_t offered = 0;
  for (std::size_t i = 0; i < count; ++i) offered += pieces[i].iov_len;
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  ssize_t result = 0;
  do {
    result = reactor_.calls.send(socket_.get(), &message, MSG_NOSIGNAL);
  } while (result < 0 && errno == EINTR);
  if (result < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait_until_writable();
    } else {
      on_send_failed(errno);
    }
    return false;
  }
  const std::size_t sent = static_cast<std::size_t>(result);
  if (sent != 0) handler_.on_sent(sent);
  if (state_ != State::Open) return false;
  if (sent < offered) {
    wait_until_writable();
    return false;
  }
  return count == kPiecesMax;
}

void SocketStream::on_send_failed(int error) {
  // What the peer said before it went away is here already, and may be the replies to all that
  // was asked.
  drain();
  if (state_ == State::Open) break_off(StreamError::SendFailed, error);
}

// Unlike receive() it goes on until the socket has no more: there is no later turn for the rest.
// The peer sends no more either, so the kernel's buffer is the bound.
void SocketStream::drain() {
  if (!receiving_ || end_of_file_) return;
  Step step = Step::FilledRoom;
  while (step == Step::FilledRoom || step == Step::Short) step = receive_once();
}

void SocketStream::break_off(StreamError kind, int error) {
  close();
  handler_.on_broken({kind, error});
}

void SocketStream::offer(std::span<const char> last) {
  if (state_ != State::Open || last.empty()) return;
  iovec piece{const_cast<char*>(last.data()), last.size()};  // sendmsg does not write to it
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  reactor_.calls.send(socket_.get(), &message, MSG_NOSIGNAL);
}

void SocketStream::close_with(std::span<const char> last) {
  offer(last);
  close();
}

void SocketStream::close_gently(std::span<const char> last) {
  if (state_ != State::Open || end_of_file_) return close_with(last);
  offer(last);
  UniqueFd socket = std::move(socket_);
  close();
  reactor_.lingering.take(std::move(socket));
}

void SocketStream::close() {
  if (state_ == State::Closed) return;
  state_ = State::Closed;
  reading_ = false;
  // The events go with the stream, not here: this may be inside the callback of one of them.
  if (read_event_) event_del(read_event_.get());
  if (write_event_) event_del(write_event_.get());
  socket_.reset();
}

TransportEvidence SocketStream::evidence() const {
  TransportEvidence evidence;
  if (!socket_) return evidence;
  int count = 0;
  if (ioctl(socket_.get(), SIOCINQ, &count) == 0) {
    evidence.bytes_unread = static_cast<std::uint64_t>(count);
  }
  if (ioctl(socket_.get(), SIOCOUTQ, &count) == 0) {
    evidence.bytes_unsent = static_cast<std::uint64_t>(count);
  }
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
    evidence.tcp =
        TcpEvidence{.segments_unacked = info.tcpi_unacked,
                    .retransmits = info.tcpi_retransmits,
                    .retransmits_total = info.tcpi_total_retrans,
                    .rtt = std::chrono::microseconds(info.tcpi_rtt),
                    .since_last_receive = std::chrono::milliseconds(info.tcpi_last_data_recv)};
  }
  return evidence;
}

}  // namespace mcsteady::net
