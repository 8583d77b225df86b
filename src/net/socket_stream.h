#pragma once

#include <cstddef>
#include <memory>

#include "mcsteady/net/address.h"
#include "mcsteady/net/stream.h"
#include "net/handles.h"
#include "net/reactor.h"

namespace mcsteady::net {

/// A stream over a non-blocking TCP or unix socket.
///
///   Connecting --(writable, no error)--> Open --(close(), or broken)--> Closed
///   Connecting --(refused, close(), ...)------------------------------> Closed
///
/// Reading and writing are two events, and neither has a timeout: libevent 2.1.12 drops the read
/// flag of an event whose own timeout is due in the same turn (libevent#1530), and after a stall
/// that is every event.
class SocketStream final : public Stream {
 public:
  /// Never fails at once: a failure is told in a later turn.
  static std::unique_ptr<SocketStream> connect(const Reactor& reactor, const Address& to,
                                               Handler& handler);
  /// Takes over a connected, non-blocking socket.
  static std::unique_ptr<SocketStream> accept(const Reactor& reactor, UniqueFd socket,
                                              Handler& handler);
  ~SocketStream() override { SocketStream::close(); }

  void set_receiving(bool on) override;
  void flush() override;
  void flush_later() override;
  Found look() override;
  TransportEvidence evidence() const override;
  void close() override;
  void close_with(std::span<const char> last) override;
  void close_gently(std::span<const char> last) override;

 private:
  enum class State { Connecting, Open, Closed };
  enum class Step { FilledRoom, Short, Nothing, EndOfFile, Failed, Stopped };
  struct FlushTask final : Task {
    explicit FlushTask(SocketStream& owner) : stream(owner) {}
    void run() override { stream.send(); }
    SocketStream& stream;
  };
  struct FailTask final : Task {
    explicit FailTask(SocketStream& owner) : stream(owner) {}
    void run() override { stream.finish_connecting(); }
    SocketStream& stream;
  };

  SocketStream(const Reactor& reactor, UniqueFd socket, State state, Handler& handler);
  void start_connecting(const Address& to);
  void finish_connecting();
  void update_reading();
  void wait_until_writable();
  bool waits_until_writable() const {
    return write_event_ && event_pending(write_event_.get(), EV_WRITE, nullptr) != 0;
  }
  void on_writable();
  Found receive(int reads_max);
  Step receive_once();
  void drain();
  void offer(std::span<const char> last);
  void send();
  bool send_once();
  void on_send_failed(int error);
  void break_off(StreamError kind, int error);

  const Reactor& reactor_;
  Handler& handler_;
  State state_;
  bool receiving_ = true;
  bool end_of_file_ = false;
  bool reading_ = false;      // the read event is with the loop
  int connect_error_ = 0;     // of a connect that failed at once
  int receive_error_ = 0;     // of the last Step::Failed
  std::size_t received_ = 0;  // by the last receive_once
  UniqueFd socket_;
  EventPtr read_event_;
  EventPtr write_event_;
  FlushTask flush_task_{*this};
  FailTask fail_task_{*this};
};

}  // namespace mcsteady::net
