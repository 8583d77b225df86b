#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <string>
#include <vector>

#include "net/loop_fixture.h"
#include "net/recording_handler.h"
#include "net/socket_options.h"
#include "net/socket_stream.h"

namespace mcsteady::net {
namespace {

/// How connections begin and end, over TCP on the loopback and over unix sockets.
class SocketStreamEndTest : public LoopTest {
 protected:
  /// A stream that is connected over TCP to peer_, a plain socket.
  void connect_over_tcp() {
    const UniqueFd listener = listening();
    stream_ = loop_->connect(address_, handler_);
    run_until([&] { return handler_.was_called("connected"); });
    peer_ = UniqueFd(accept(listener.get(), nullptr, nullptr));
  }
  void connect_by_socket_pair() {
    Pair pair = socket_pair();
    peer_ = std::move(pair.theirs);
    stream_ = loop_->adopt(std::move(pair.ours), handler_);
  }
  /// Listens on address_.
  UniqueFd listening() {
    UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    auto* generic = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(bind(listener.get(), generic, size), 0);
    EXPECT_EQ(listen(listener.get(), 8), 0);
    EXPECT_EQ(getsockname(listener.get(), generic, &size), 0);
    address_ = *numeric_address(Endpoint{"127.0.0.1", ntohs(name.sin_port), ""});
    return listener;
  }
  void peer_sends(const std::string& bytes) {
    ASSERT_EQ(send(peer_.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  void peer_resets() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(peer_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    peer_.reset();
  }
  bool is_broken() const { return !handler_.broken.empty(); }

  RecordingHandler handler_;
  Address address_;
  UniqueFd peer_;
  std::unique_ptr<Stream> stream_;
};
FOR_EACH_METHOD(SocketStreamEndTest);

TEST_P(SocketStreamEndTest, ReportsTheEndOfAnIdleConnectionOnce) {
  connect_by_socket_pair();
  peer_.reset();

  run_turn();
  run_turn();

  EXPECT_EQ(handler_.calls, (std::vector<std::string>{"room", "end of file"}));
}

TEST_P(SocketStreamEndTest, ReportsWhatCameBeforeTheEndFirst) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{9}, std::size_t{10}, std::size_t{11},
                                 std::size_t{160}, std::size_t{1000}}) {
    SCOPED_TRACE(size);
    handler_ = {};
    handler_.room_size = 10;
    connect_by_socket_pair();
    peer_sends(std::string(size, 'x'));
    peer_.reset();

    run_until([&] { return handler_.was_called("end of file"); });

    EXPECT_EQ(handler_.received.size(), size);
    EXPECT_EQ(handler_.calls.back(), "end of file");
  }
}

TEST_P(SocketStreamEndTest, StillSendsToAPeerThatWillSendNoMore) {
  connect_by_socket_pair();
  shutdown(peer_.get(), SHUT_WR);
  run_until([&] { return handler_.was_called("end of file"); });

  handler_.output = "reply";
  stream_->flush();
  run_turn();

  char bytes[8] = "";
  EXPECT_EQ(recv(peer_.get(), bytes, sizeof bytes, MSG_DONTWAIT), 5);
}

TEST_P(SocketStreamEndTest, ReportsWhatCameBeforeAReset) {
  connect_over_tcp();
  peer_sends("last words");
  peer_resets();

  run_until([&] { return is_broken(); });

  EXPECT_EQ(handler_.received, "last words");
  EXPECT_EQ(handler_.broken[0].kind, StreamError::Reset);
  EXPECT_EQ(handler_.broken[0].error_number, ECONNRESET);
}

TEST_P(SocketStreamEndTest, TellsOfAResetOnceAndNothingAfterIt) {
  connect_over_tcp();
  peer_resets();
  run_until([&] { return is_broken(); });

  handler_.output = "x";
  stream_->flush();
  run_turn();

  EXPECT_EQ(handler_.broken.size(), 1U);
  EXPECT_EQ(handler_.calls.back(), "broken");
  EXPECT_EQ(stream_->look(), Stream::Found::Broken);
}

TEST_P(SocketStreamEndTest, ReceivesWhatIsThereBeforeItGivesUpSending) {
  connect_by_socket_pair();
  CountedCalls::before_send = [&] {
    if (!peer_) return;
    peer_sends("last words");
    peer_.reset();
  };
  handler_.room_size = 4;
  handler_.output = "request";
  stream_->flush();

  run_turn();

  EXPECT_EQ(handler_.received, "last words");
  ASSERT_TRUE(is_broken());
  EXPECT_EQ(handler_.broken[0].kind, StreamError::SendFailed);
  EXPECT_EQ(handler_.broken[0].error_number, EPIPE);
  EXPECT_EQ(handler_.calls.back(), "broken");
}

TEST_P(SocketStreamEndTest, DrainsAShortReceiveBeforeItGivesUpSending) {
  connect_by_socket_pair();
  CountedCalls::receive_max = 3;
  CountedCalls::before_send = [&] {
    if (!peer_) return;
    peer_sends("last words");
    peer_.reset();
  };
  handler_.output = "request";
  stream_->flush();

  run_turn();

  EXPECT_EQ(handler_.received, "last words");
}

TEST_P(SocketStreamEndTest, MayBeClosedWhileItDrains) {
  connect_by_socket_pair();
  CountedCalls::before_send = [&] {
    if (!peer_) return;
    peer_sends("last words");
    peer_.reset();
  };
  handler_.in_callback = [&](const std::string& name) {
    if (name == "received") stream_->close();
  };
  handler_.output = "request";
  stream_->flush();

  run_turn();

  EXPECT_EQ(handler_.calls.back(), "received");
}

TEST_P(SocketStreamEndTest, ConnectsAndSendsWhatWasAskedForBefore) {
  const UniqueFd listener = listening();
  handler_.output = "version\r\n";
  stream_ = loop_->connect(address_, handler_);
  stream_->flush();
  EXPECT_TRUE(handler_.calls.empty());

  run_until([&] { return handler_.output.empty(); });

  EXPECT_EQ(handler_.calls, (std::vector<std::string>{"connected", "pieces", "sent"}));
}

TEST_P(SocketStreamEndTest, TellsOfARefusalInALaterTurn) {
  listening();  // and no more
  stream_ = loop_->connect(address_, handler_);
  EXPECT_TRUE(handler_.calls.empty());

  run_until([&] { return is_broken(); });

  EXPECT_EQ(handler_.broken[0].kind, StreamError::Refused);
  EXPECT_EQ(handler_.calls, std::vector<std::string>{"broken"});
}

TEST_P(SocketStreamEndTest, TellsOfAUnixSocketThatIsNotThereInALaterTurn) {
  const Address missing = *numeric_address(Endpoint{"", 0, "/nonexistent/memcached.sock"});
  stream_ = loop_->connect(missing, handler_);
  EXPECT_TRUE(handler_.calls.empty());

  run_turn();

  ASSERT_TRUE(is_broken());
  EXPECT_EQ(handler_.broken[0].kind, StreamError::ConnectFailed);
  EXPECT_EQ(handler_.broken[0].error_number, ENOENT);
}

TEST_P(SocketStreamEndTest, TellsNothingOfAConnectThatWasClosed) {
  const UniqueFd listener = listening();
  stream_ = loop_->connect(address_, handler_);
  stream_->close();

  run_turn();
  run_turn();

  EXPECT_TRUE(handler_.calls.empty());
}

TEST_P(SocketStreamEndTest, MayBeClosedWhenItIsConnected) {
  const UniqueFd listener = listening();
  handler_.output = "x";
  handler_.in_callback = [&](const std::string&) { stream_->close(); };
  stream_ = loop_->connect(address_, handler_);

  run_until([&] { return handler_.was_called("connected"); });
  run_turn();

  EXPECT_EQ(handler_.calls, std::vector<std::string>{"connected"});
}

TEST_P(SocketStreamEndTest, SeesByALookThatItIsConnected) {
  const UniqueFd listener = listening();
  stream_ = loop_->connect(address_, handler_);  // on the loopback it is so at once

  EXPECT_EQ(stream_->look(), Stream::Found::Nothing);

  EXPECT_EQ(handler_.calls[0], "connected");
}

TEST_P(SocketStreamEndTest, LastWordsReachAPeerThatGoesOnSending) {
  connect_over_tcp();
  peer_sends("not read");
  stream_->set_receiving(false);

  stream_->close_gently(std::string_view("bye\r\n"));
  for (int i = 0; i < 3; ++i) {
    peer_sends(std::string(1000, 'x'));
    int turns = 0;
    run_until([&] { return ++turns > 2; });
  }

  std::array<char, 16> said{};
  EXPECT_EQ(recv(peer_.get(), said.data(), said.size(), 0), 5);
  EXPECT_EQ(std::string(said.data()), "bye\r\n");
  EXPECT_EQ(recv(peer_.get(), said.data(), said.size(), 0), 0);
}

TEST_P(SocketStreamEndTest, HasTheKernelsFiguresOfATcpConnection) {
  connect_over_tcp();
  peer_sends("hello");

  const TransportEvidence evidence = stream_->evidence();

  EXPECT_EQ(evidence.bytes_unread, 5U);
  ASSERT_TRUE(evidence.tcp);
  EXPECT_EQ(evidence.tcp->retransmits_total, 0U);
  EXPECT_GT(evidence.tcp->rtt.count(), 0);
}

TEST(SocketOptions, KeepServerConnectionsAliveAndTheirRequestsPrompt) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
  set_outgoing_tcp_options(fd.get());

  const auto value = [&](int level, int option) {
    int found = -1;
    socklen_t size = sizeof found;
    getsockopt(fd.get(), level, option, &found, &size);
    return found;
  };
  EXPECT_EQ(value(IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(value(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(value(IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(value(IPPROTO_TCP, TCP_KEEPINTVL), 10);
  EXPECT_EQ(value(IPPROTO_TCP, TCP_KEEPCNT), 3);
}

}  // namespace
}  // namespace mcsteady::net
