// Replies and endings over TLS. OpenSSL leaves the buffer that it is given as it was where a read
// brings nothing: who trusts the buffer gives the last reply to the next request.

#include <gtest/gtest.h>

#include "support/test_certificates.h"
#include "support/tls_peer.h"
#include "upstream/connection_fixture.h"

namespace mcsteady::upstream {
namespace {

class ConnectionTlsTest : public ConnectionTest {
 protected:
  ConnectionTlsTest() {
    options.tls = std::make_shared<net::TlsClient>(net::TlsClientOptions{
        .own = {}, .verify = true, .ca = certificates.ca(), .server_name = "cache.example"});
    EXPECT_TRUE(options.tls->load());
    open();
    for (bool over = false; !over;) {
      loop.end_turn();
      server.take(peer().take_sent());
      over = server.shake_hands();
      reply(server.give());
    }
  }

  test::TestCertificates certificates;
  test::TlsPeer server{{.own = certificates.issue("cache.example")}};
  RecordingOwner second;
};

TEST_F(ConnectionTlsTest, GivesAReplyOnceWhereACloseFollowsIt) {
  ask("set a 0 0 1\r\nx\r\n", owner, protocol::ReplyShape::Line);
  ask("set b 0 0 1\r\ny\r\n", second, protocol::ReplyShape::Line);

  reply(server.seal("STORED\r\n"));
  reply(server.close_notify());
  peer().push_end_of_file();

  EXPECT_EQ(owner.heard, Heard{"STORED\r\n"});
  EXPECT_EQ(second.heard, Heard{"!connection_lost"});
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(ConnectionTlsTest, GivesAReplyOnceWhereTheCloseComesWithIt) {
  ask("set a 0 0 1\r\nx\r\n", owner, protocol::ReplyShape::Line);
  ask("set b 0 0 1\r\ny\r\n", second, protocol::ReplyShape::Line);

  const std::string reply_record = server.seal("STORED\r\n");
  reply(reply_record + server.close_notify());

  EXPECT_EQ(owner.heard, Heard{"STORED\r\n"});
  EXPECT_EQ(second.heard, Heard{"!connection_lost"});
}

TEST_F(ConnectionTlsTest, FindsAReplyThatNobodyLookedAtInTime) {
  ask("get a\r\n");
  peer().arrives(server.seal("END\r\n"));

  loop.stall(300ms);

  EXPECT_EQ(owner.heard, Heard{"END\r\n"});
  EXPECT_EQ(metrics.timeouts_recovered.value(), 1U);
}

TEST_F(ConnectionTlsTest, WaitsOnWhileARecordIsComing) {
  const std::string value(16'000, 'x');
  ask("get a\r\n");
  const std::string record = server.seal("VALUE a 0 16000\r\n" + value + "\r\nEND\r\n");

  for (std::size_t at = 0; at < record.size(); at += 2'000) {
    loop.advance(200ms);
    reply(record.substr(at, 2'000));
  }

  EXPECT_EQ(owner.heard, (Heard{"VALUE a 0 16000\r\n" + value + "\r\n", "END\r\n"}));
  EXPECT_EQ(metrics.incidents.value(), 0U);
}

TEST_F(ConnectionTlsTest, TakesTheBeginningOfARecordForNoTimeout) {
  ask("get a\r\n");
  const std::string record = server.seal("END\r\n");
  peer().arrives(record.substr(0, 10));

  loop.stall(300ms);
  EXPECT_EQ(owner.heard, Heard{});
  EXPECT_EQ(metrics.timeouts_recovered.value(), 1U);
  loop.advance(250ms);
  EXPECT_EQ(owner.heard, Heard{"!server_late"});
}

TEST_F(ConnectionTlsTest, DropsAReplyThatComesLate) {
  ask("get a\r\n");
  loop.advance(250ms);
  ASSERT_EQ(owner.heard, Heard{"!server_late"});

  reply(server.seal("END\r\n"));

  EXPECT_EQ(owner.heard, Heard{"!server_late"});
  EXPECT_EQ(metrics.late_replies_dropped.value(), 1U);
  EXPECT_EQ(state(), Connection::State::Closed);
}

TEST_F(ConnectionTlsTest, SaysThatARequestIsLostThatAnEndWithoutCloseNotifyMeets) {
  ask("set a 0 0 1\r\nx\r\n", owner, protocol::ReplyShape::Line);
  const std::string record = server.seal("STORED\r\n");
  reply(record.substr(0, record.size() / 2));
  peer().push_end_of_file();
  EXPECT_EQ(owner.heard, Heard{"!connection_lost"});
}

}  // namespace
}  // namespace mcsteady::upstream
