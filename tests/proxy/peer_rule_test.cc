// Who is served on a listener that names its peers.

#include "mcsteady/proxy/peer_rule.h"

#include "proxy/worker_fixture.h"

namespace mcsteady::test {
namespace {

using net::Peer;
using proxy::PeerRule;

TEST(PeerRule, WithoutNamesEverybodyIsServed) {
  EXPECT_TRUE(PeerRule{}.admits({.uid = 4, .gid = 5}));
}

TEST(PeerRule, OneMatchOfUserGroupOrSupplementaryGroupIsEnough) {
  const PeerRule rule{.uids = {33, 1000}, .gids = {50}};

  EXPECT_TRUE(rule.admits({.uid = 1000, .gid = 1}));
  EXPECT_TRUE(rule.admits({.uid = 7, .gid = 50}));
  EXPECT_TRUE(rule.admits({.uid = 7, .gid = 1, .groups = {2, 50}}));
  EXPECT_FALSE(rule.admits({.uid = 50, .gid = 33, .groups = {1000}}));
  EXPECT_FALSE(rule.admits({.uid = 0, .gid = 0}));  // root is nobody special
}

class PeersTest : public WorkerTest {
 protected:
  void start_for(const PeerRule& rule) {
    options.listeners[0].peers = rule;
    start(1);
  }
};

TEST_F(PeersTest, APeerThatIsNotNamedIsTurnedAwayAndCounted) {
  start_for({.uids = {1000}});
  proxy_side.set_peer(Peer{.uid = 1001, .gid = 1000});
  SimPeer& client = connect();

  EXPECT_EQ(ask(client, "get a\r\n"), "ERROR access denied\r\n");
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(closed("stranger"), 1U);
  EXPECT_EQ(servers[0]->requests().size(), 0U);
}

TEST_F(PeersTest, APeerThatIsNamedIsServed) {
  start_for({.uids = {1000}});
  proxy_side.set_peer(Peer{.uid = 1000, .gid = 1000});

  EXPECT_EQ(ask("mn\r\n"), "MN\r\n");
  EXPECT_EQ(closed("stranger"), 0U);
}

TEST_F(PeersTest, APeerOfWhomNothingIsKnownIsAStranger) {
  start_for({.gids = {50}});

  EXPECT_EQ(ask("mn\r\n"), "ERROR access denied\r\n");
}

}  // namespace
}  // namespace mcsteady::test
