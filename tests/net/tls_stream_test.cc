#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "mcsteady/net/tls.h"
#include "net/recording_handler.h"
#include "support/sim_loop.h"
#include "support/sim_network.h"
#include "support/test_certificates.h"

namespace mcsteady::net {
namespace {

using std::chrono::seconds;
using test::SimLoop;
using test::SimNetwork;
using test::TestCertificates;

/// Two ends on a simulated network, with OpenSSL and certificates as they are.
class TlsStreamTest : public testing::Test, private Listener::Handler {
 protected:
  void start(const TlsServerOptions& server, const TlsClientOptions& client,
             const std::string& host = "cache.example") {
    server_ = std::make_unique<TlsServer>(server);
    client_ = std::make_unique<TlsClient>(client);
    ASSERT_TRUE(server_->load());
    ASSERT_TRUE(client_->load());
    host_ = host;
    acceptor_ = std::make_unique<TlsAcceptor>(there_, *server_);
    ListenOptions options;
    options.endpoint = {.host = "127.0.0.1", .port = 11211, .unix_path = {}};
    listener_ = std::move(*there_.listen(options, static_cast<Listener::Handler&>(*this)));
    connect();
  }
  void connect() {
    const auto address = numeric_address(listener_->endpoint());
    near_ = client_->connect(here_, *address, host_, near_handler_);
  }
  void on_accepted(std::unique_ptr<AcceptedSocket> socket) override {
    far_ = plain_ ? socket->start(far_handler_) : acceptor_->start(*socket, far_handler_);
  }
  TlsServerOptions server_options(const TestCertificates::Pair& pair) const {
    TlsServerOptions options;
    options.own.certificate = pair.certificate;
    options.own.key = pair.key;
    return options;
  }
  TlsClientOptions trusting() const {
    TlsClientOptions options;
    options.ca = certificates_.ca();
    return options;
  }
  void run() { network_.run_until_idle(); }
  void send(Stream& stream, RecordingHandler& handler, const std::string& bytes) {
    handler.output += bytes;
    stream.flush();
    run();
  }
  StreamError cause() const { return near_handler_.broken.at(0).kind; }

  TestCertificates certificates_;
  SimNetwork network_{7};
  SimLoop here_{network_}, there_{network_};
  std::string host_;
  bool plain_ = false;  // what is accepted speaks no TLS
  RecordingHandler near_handler_, far_handler_;
  std::unique_ptr<TlsServer> server_;
  std::unique_ptr<TlsClient> client_;
  std::unique_ptr<TlsAcceptor> acceptor_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Stream> near_, far_;
};

TEST_F(TlsStreamTest, CarriesBytesBothWays) {
  start(server_options(certificates_.issue("cache.example")), trusting());
  run();
  ASSERT_TRUE(near_handler_.was_called("connected"));

  const std::string large(3 << 20, 'x');
  send(*near_, near_handler_, "get a\r\n");
  send(*far_, far_handler_, large);

  EXPECT_EQ(far_handler_.received, "get a\r\n");
  EXPECT_EQ(near_handler_.received, large);
}

TEST_F(TlsStreamTest, RefusesACertificateOfAnotherName) {
  start(server_options(certificates_.issue("other.example")), trusting());
  run();
  EXPECT_EQ(cause(), StreamError::TlsNameMismatch);
  EXPECT_FALSE(near_handler_.was_called("connected"));
}

TEST_F(TlsStreamTest, RefusesAnExpiredCertificate) {
  start(server_options(certificates_.issue("cache.example", -1)), trusting());
  run();
  EXPECT_EQ(cause(), StreamError::TlsExpired);
}

TEST_F(TlsStreamTest, RefusesACertificateThatNobodyKnownHasSigned) {
  start(server_options(certificates_.self_signed("cache.example")), trusting());
  run();
  EXPECT_EQ(cause(), StreamError::TlsUnknownCa);
}

TEST_F(TlsStreamTest, TakesAnyCertificateWhereItIsToldNotToVerify) {
  TlsClientOptions client = trusting();
  client.verify = false;
  start(server_options(certificates_.self_signed("other.example")), client);
  run();
  EXPECT_TRUE(near_handler_.was_called("connected"));
}

TEST_F(TlsStreamTest, SaysThatThePeerSpeaksNoTls) {
  start(server_options(certificates_.issue("cache.example")), trusting());
  plain_ = true;
  run();
  send(*far_, far_handler_, "ERROR\r\n");
  EXPECT_EQ(cause(), StreamError::TlsProtocol);
}

TEST_F(TlsStreamTest, SaysThatTheClientHasNoCertificateWhereOneIsRequired) {
  TlsServerOptions server = server_options(certificates_.issue("cache.example"));
  server.client_ca = certificates_.ca();
  start(server, trusting());
  run();
  EXPECT_EQ(cause(), StreamError::TlsCertificateRefused);
}

TEST_F(TlsStreamTest, LetsInAClientWhoseNameIsAllowedAndNoOther) {
  for (const auto& [name, is_allowed] : {std::pair{"app-1", true}, {"app-2", false}}) {
    near_handler_ = far_handler_ = {};
    listener_.reset();
    TlsServerOptions server = server_options(certificates_.issue("cache.example"));
    server.client_ca = certificates_.ca();
    server.client_names = {"app-1"};
    TlsClientOptions client = trusting();
    const auto own = certificates_.issue(name);
    client.own.certificate = own.certificate;
    client.own.key = own.key;
    start(server, client);
    run();
    send(*near_, near_handler_, "hello");
    EXPECT_EQ(far_handler_.received, is_allowed ? "hello" : "");
  }
}

TEST_F(TlsStreamTest, TellsAnEndOfFileAfterWhatCameBeforeIt) {
  start(server_options(certificates_.issue("cache.example")), trusting());
  run();
  far_handler_.in_callback = [&](const std::string& name) {
    if (name == "sent" && far_handler_.output.empty()) near_handler_.room_size = 3;
  };
  send(*far_, far_handler_, "END\r\nEND\r\n");
  far_->close();
  run();
  EXPECT_EQ(near_handler_.received, "END\r\nEND\r\n");
  EXPECT_EQ(near_handler_.calls.back(), "end of file");
}

TEST_F(TlsStreamTest, DeliversWhatOpenSslHoldsOnceReceivingIsOnAgain) {
  start(server_options(certificates_.issue("cache.example")), trusting());
  run();
  near_handler_.room_size = 2;
  near_handler_.in_callback = [&](const std::string& name) {
    if (name == "received") near_->set_receiving(false);
  };
  send(*far_, far_handler_, "abcdef");
  ASSERT_EQ(near_handler_.received, "ab");

  near_handler_.in_callback = {};
  near_->set_receiving(true);
  run();
  EXPECT_EQ(near_handler_.received, "abcdef");
}

TEST_F(TlsStreamTest, LooksAtWhatOpenSslHolds) {
  start(server_options(certificates_.issue("cache.example")), trusting());
  run();
  near_handler_.room_size = 2;
  near_handler_.in_callback = [&](const std::string& name) {
    if (name == "received") near_->set_receiving(false);
  };
  send(*far_, far_handler_, "abcd");
  near_handler_.in_callback = {};
  near_->set_receiving(true);

  EXPECT_EQ(near_->look(), Stream::Found::Bytes);
  EXPECT_EQ(near_handler_.received, "abcd");
}

TEST_F(TlsStreamTest, GivesUpAHandshakeThatIsNeverFinished) {
  start(server_options(certificates_.issue("cache.example")), trusting());
  near_->close();
  near_ = here_.connect(*numeric_address(listener_->endpoint()), near_handler_);
  run();
  here_.run_for(seconds(6));
  ASSERT_FALSE(far_handler_.broken.empty());
  EXPECT_EQ(far_handler_.broken[0].kind, StreamError::TlsTimeout);
}

TEST_F(TlsStreamTest, KeepsTheFormerCertificateWhereTheNewOneIsBroken) {
  const auto pair = certificates_.issue("cache.example");
  start(server_options(pair), trusting());
  run();
  std::FILE* const file = std::fopen(pair.certificate.c_str(), "we");
  (void)std::fclose(file);

  const auto loaded = server_->load();
  connect();
  run();

  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().option, "certificate");
  EXPECT_TRUE(near_handler_.broken.empty());
}

}  // namespace
}  // namespace mcsteady::net
