// TLS against a peer whose every record the test holds in its hand.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "mcsteady/net/tls.h"
#include "net/recording_handler.h"
#include "support/sim_loop.h"
#include "support/sim_network.h"
#include "support/sim_stream.h"
#include "support/test_certificates.h"
#include "support/tls_peer.h"

namespace mcsteady::net {
namespace {

using test::SimLoop;
using test::SimNetwork;
using test::SimStream;
using test::TestCertificates;
using test::TlsPeer;

/// Ours connects; the other end is a plain socket with a TlsPeer behind it.
class TlsStreamEdgeTest : public testing::Test, private Listener::Handler {
 protected:
  TlsStreamEdgeTest() {
    ListenOptions options;
    options.endpoint = {.host = "127.0.0.1", .port = 11211, .unix_path = {}};
    listener_ = std::move(*there_.listen(options, static_cast<Listener::Handler&>(*this)));
  }
  void connect(TlsPeer::Options peer = {}, const TlsOptions& own = {}) {
    near_handler_ = far_handler_ = {};
    near_.reset();
    far_.reset();
    peer.own = pair_;
    peer_ = std::make_unique<TlsPeer>(peer);
    client_ = std::make_unique<TlsClient>(TlsClientOptions{
        .own = own, .verify = true, .ca = certificates_.ca(), .server_name = "cache.example"});
    ASSERT_TRUE(client_->load());
    near_ = client_->connect(here_, *numeric_address(listener_->endpoint()), "", near_handler_);
    for (int flights = 0; flights < 4; ++flights) {
      exchange();
      peer_->shake_hands();
    }
    exchange();
  }
  void on_accepted(std::unique_ptr<AcceptedSocket> socket) override {
    far_ = socket->start(far_handler_);
  }
  /// Gives the peer what has come, and sends what OpenSSL says to it.
  void exchange() {
    network_.run_until_idle();
    peer_->take(std::exchange(far_handler_.received, {}));
    tell(peer_->give());
  }
  void tell(std::string_view records) {
    far_handler_.output += records;
    far_->flush();
    network_.run_until_idle();
  }
  void ask(std::string_view bytes) {
    near_handler_.output += bytes;
    near_->flush();
    exchange();
  }
  SimStream& far_socket() { return dynamic_cast<SimStream&>(*far_); }
  std::uint64_t truncations() const {
    metrics::Registry registry;
    client_->register_in(registry, "");
    return registry.snapshot().total("tls_truncations");
  }

  TestCertificates certificates_;
  TestCertificates::Pair pair_ = certificates_.issue("cache.example");
  SimNetwork network_{7};
  SimLoop here_{network_}, there_{network_};
  RecordingHandler near_handler_, far_handler_;
  std::unique_ptr<TlsPeer> peer_;
  std::unique_ptr<TlsClient> client_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Stream> near_, far_;
};

TEST_F(TlsStreamEdgeTest, DeliversRecordsThatEndAtEveryBorderOfARoom) {
  connect();
  std::string expected;
  for (const std::size_t room :
       {std::size_t{1}, std::size_t{2}, std::size_t{8192}, std::size_t{16384}}) {
    near_handler_.room_size = room;
    for (const std::size_t record : {room - 1, room, room + 1, 2 * room}) {
      if (record == 0 || record > 16384) continue;
      const std::string bytes(3 * record, static_cast<char>('a' + record % 26));
      expected += bytes;
      tell(peer_->seal(bytes, record));
      ASSERT_EQ(near_handler_.received.size(), expected.size()) << room << ' ' << record;
    }
  }
  EXPECT_EQ(near_handler_.received, expected);
}

TEST_F(TlsStreamEdgeTest, DeliversARecordThatComesByteByByte) {
  connect();
  const std::string record = peer_->seal("END\r\n");
  near_handler_.progress = 0;
  for (const char byte : record) {
    EXPECT_EQ(near_handler_.received, "");
    tell({&byte, 1});
  }
  EXPECT_EQ(near_handler_.received, "END\r\n");
  EXPECT_EQ(near_handler_.progress, record.size() - 1);
}

enum class Ending { CloseNotify, Fin, Reset };
constexpr Ending kEndings[] = {Ending::CloseNotify, Ending::Fin, Ending::Reset};

TEST_F(TlsStreamEdgeTest, TellsEveryEndingOnceBeforeWithinAndAfterAReply) {
  for (const Ending ending : kEndings) {
    for (const std::size_t bytes : {0U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(ending) << ' ' << bytes);
      connect();
      tell(peer_->seal(std::string_view("END\r\n").substr(0, bytes)));
      if (ending == Ending::CloseNotify) tell(peer_->close_notify());
      ending == Ending::Reset ? far_socket().reset() : far_->close();
      network_.run_until_idle();

      EXPECT_EQ(near_handler_.received, std::string("END\r\n").substr(0, bytes));
      const bool is_reset = ending == Ending::Reset;
      EXPECT_EQ(near_handler_.calls.back(), is_reset ? "broken" : "end of file");
      EXPECT_EQ(std::ranges::count(near_handler_.calls, "end of file"), is_reset ? 0 : 1);
      EXPECT_EQ(truncations(), ending == Ending::Fin ? 1U : 0U);
    }
  }
}

TEST_F(TlsStreamEdgeTest, DropsARecordThatIsCutShort) {
  connect();
  const std::string record = peer_->seal("END\r\n");
  tell(std::string_view(record).substr(0, record.size() - 1));
  far_->close();
  network_.run_until_idle();

  EXPECT_EQ(near_handler_.received, "");
  EXPECT_EQ(near_handler_.calls.back(), "end of file");
  EXPECT_EQ(truncations(), 1U);
}

TEST_F(TlsStreamEdgeTest, SendsOnToAPeerThatIsHalfClosed) {
  for (const bool notifies : {true, false}) {
    connect();
    if (notifies) tell(peer_->close_notify());
    far_socket().finish_sending();
    network_.run_until_idle();
    ASSERT_EQ(near_handler_.calls.back(), "end of file");

    near_handler_.output = "still here";
    near_->flush();
    network_.run_until_idle();
    peer_->take(far_handler_.received);

    EXPECT_EQ(peer_->open(), "still here");
  }
}

TEST_F(TlsStreamEdgeTest, FollowsAChangeOfKeysBothWays) {
  connect();
  tell(peer_->update_key());
  tell(peer_->seal("END\r\n"));
  ask("get a\r\n");

  EXPECT_EQ(near_handler_.received, "END\r\n");
  EXPECT_EQ(peer_->open(), "get a\r\n");
  EXPECT_TRUE(near_handler_.broken.empty());
}

TEST_F(TlsStreamEdgeTest, RefusesToRenegotiateAndGoesOn) {
  connect({.maximum_version = TLS1_2_VERSION});
  tell(peer_->renegotiate());
  exchange();
  tell(peer_->seal("END\r\n"));

  EXPECT_EQ(near_handler_.received, "END\r\n");
  EXPECT_TRUE(near_handler_.broken.empty());
}

TEST_F(TlsStreamEdgeTest, SaysThatThereIsNoVersionInCommon) {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    connect({.maximum_version = version});
    ASSERT_EQ(near_handler_.broken.size(), 1U);
    EXPECT_EQ(near_handler_.broken[0].kind, StreamError::TlsProtocol);
  }
}

TEST_F(TlsStreamEdgeTest, SaysThatThereIsNoCipherInCommon) {
  TlsOptions own;
  own.ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384";
  connect({.maximum_version = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"}, own);
  ASSERT_EQ(near_handler_.broken.size(), 1U);
  EXPECT_EQ(near_handler_.broken[0].kind, StreamError::TlsNoSharedCipher);
}

TEST_F(TlsStreamEdgeTest, CountsWhatOpenSslHoldsAsUnread) {
  connect();
  near_handler_.room_size = 2;
  near_handler_.in_callback = [&](const std::string& name) {
    if (name == "received") near_->set_receiving(false);
  };
  tell(peer_->seal("abcdef"));
  EXPECT_EQ(near_->evidence().bytes_unread, 4U);
}

TEST_F(TlsStreamEdgeTest, SaysThatAllIsSentOnlyOnceItsRecordsAre) {
  test::LinkConditions narrow;
  narrow.buffer_max = 5000;
  network_.set_conditions({.to_server = narrow, .to_client = {}});
  connect();
  far_->set_receiving(false);
  const std::string large(40'000, 'x');
  near_handler_.in_callback = [&](const std::string& name) {
    if (name == "sent" && near_handler_.output.empty()) near_->close();
  };
  near_handler_.output = large;
  near_->flush();
  network_.run_until_idle();
  ASSERT_FALSE(near_handler_.output.empty());

  far_->set_receiving(true);
  network_.run_until_idle();
  peer_->take(far_handler_.received);

  EXPECT_EQ(peer_->open(), large);
  EXPECT_TRUE(peer_->is_closed());
}

}  // namespace
}  // namespace mcsteady::net
