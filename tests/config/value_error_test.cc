#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "config/errors.h"

namespace mcsteady::config {
namespace {

using namespace std::chrono_literals;

TEST(ConfigValues, NumbersHaveRanges) {
  for (const std::string bad : {"0", "257", "-1", "two", "1.5", "0x10", "1 2", "''"}) {
    const std::string shown = bad == "''" ? bad : "'" + bad + "'";
    EXPECT_EQ(errors_behind_a_pool("workers: " + bad),
              "f:2:10: workers: " + shown + " is not a whole number from 1 to 256\n");
  }
  EXPECT_EQ(errors_behind_a_pool("workers: 256"), "");
  EXPECT_EQ(errors_in_pool("connections: 65"),
            "f:1:49: connections: '65' is not a whole number from 1 to 64\n");
  EXPECT_EQ(errors_in_pool("health: { max_failures: 0 }"),
            "f:1:60: max_failures: '0' is not a whole number from 1 to 1000\n");
  EXPECT_EQ(errors_behind_a_pool("limits: { clients: 1000001 }"),
            "f:2:20: clients: '1000001' is not a whole number from 1 to 1000000\n");
}

TEST(ConfigValues, ZeroStandsOnlyWhereItMeansNone) {
  EXPECT_EQ(errors_in_pool("timeouts: { request: 0 }"), "");
  EXPECT_EQ(errors_behind_a_pool("log: { metrics_interval: 0 }\nshutdown: { drain_timeout: 0s }"),
            "");
  EXPECT_EQ(errors_in_pool("timeouts: { response: 0s }"),
            "f:1:58: response: '0s' is not possible; it must be more than 0\n");
}

TEST(ConfigValues, AWaitThatOutlastsTheRequestIsRefusedWhereItIsGiven) {
  EXPECT_EQ(errors_in_pool("timeouts: { response: 800ms, request: 800ms }"),
            "f:1:48: response: 800ms never runs out; it must be shorter than request (800ms), or "
            "request 0 for none\n");
  EXPECT_EQ(errors_in_pool("timeouts: { connect: 801ms, request: 800ms }"),
            "f:1:48: connect: 801ms never runs out; it must be no longer than request (800ms), or "
            "request 0 for none\n");
  EXPECT_EQ(errors_in_pool("timeouts: { connect: 800ms, response: 799ms, request: 800ms }"), "");
  EXPECT_EQ(errors_in_pool("timeouts: { connect: 5s, response: 5s, request: 0 }"), "");
}

TEST(ConfigValues, TimeoutsThatAreLeftOutFollowThoseThatAreGiven) {
  const auto timeouts = [](const std::string& given) {
    const std::string yaml = "pools: { main: { servers: [a:1], timeouts: {" + given + "} } }";
    return parse_config(yaml, "f").value().worker.pools.front().servers.front().server;
  };
  EXPECT_EQ(timeouts("response: 1s").request_timeout, 1550ms);
  EXPECT_EQ(timeouts("response: 20ms").request_timeout, 800ms);
  EXPECT_EQ(timeouts("request: 300ms").connect_timeout, 300ms);
}

TEST(ConfigValues, TheRetryDelayGrowsOnlyWhereThatIsAskedFor) {
  const std::string yaml = "pools: { main: { servers: [a:1], health: { down_retry_delay: 6m } } }";
  const auto server = parse_config(yaml, "f").value().worker.pools.front().servers.front().server;
  EXPECT_EQ(server.health.down_retry_delay_max, 6min);
}

TEST(ConfigValues, ARequestThatIsShorterThanADefaultWaitSaysSo) {
  EXPECT_EQ(errors_in_pool("timeouts: { connect: 100ms, request: 200ms }"),
            "f:1:64: request: 200ms leaves no room for response, by default 250ms; set that too, "
            "shorter than request\n");
}

TEST(ConfigValues, ARetryDelayStaysBelowItsOwnCeiling) {
  EXPECT_EQ(errors_in_pool("health: { down_retry_delay: 6m, down_retry_delay_max: 5m }"),
            "f:1:46: down_retry_delay: 6m is longer than down_retry_delay_max (5m)\n");
}

TEST(ConfigValues, LimitsFitIntoEachOther) {
  EXPECT_EQ(errors_behind_a_pool("limits: { value: 64MiB, memory: 32MiB }"),
            "f:2:11: value: 64MiB is more than memory (32MiB)\n");
  EXPECT_EQ(errors_behind_a_pool("limits: { memory: 4MiB }"),
            "f:2:11: memory: 4MiB is less than value (8MiB)\n");
  EXPECT_EQ(errors_behind_a_pool("limits: { client_output: 512MiB }"),
            "f:2:11: client_output: 512MiB is more than memory (256MiB)\n");
  EXPECT_EQ(errors_behind_a_pool("limits: { get_line: 1KiB }"),
            "f:2:11: get_line: 1KiB is less than line (2KiB)\n");
  EXPECT_EQ(errors_behind_a_pool("limits: { key: 251B }"),
            "f:2:16: key: '251B' is out of range; from 1B to 250B is possible\n");
}

TEST(ConfigValues, ListenersAreAddressesAndEachIsListenedOnOnce) {
  EXPECT_EQ(errors_behind_a_pool("listen: a:1"),
            "f:2:9: listen: a single value where a list belongs; write [host:port]\n");
  EXPECT_EQ(errors_behind_a_pool("listen: []"),
            "f:2:9: listen: nothing to listen on; write [host:port]\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [a:1, { address: a:1 }]"),
            "f:2:15: listen: a:1 is listened on already; the first is on line 2\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [unix:/s, /s]"),
            "f:2:19: listen: /s is listened on already; the first is on line 2\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [a:65536]"),
            "f:2:10: listen: 'a:65536' has a port that is no number from 0 to 65535\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [{ backlog: 9 }]"),
            "f:2:10: address: missing; write address: host:port or unix:/path\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [a:0, a:0]"), "");  // the kernel picks two ports
}

TEST(ConfigValues, OnlyTheFileOfAUnixSocketHasAnOwner) {
  EXPECT_EQ(errors_behind_a_pool("listen: [{ address: /s, owner: root, group: 5 }]"), "");
  EXPECT_EQ(errors_behind_a_pool("listen: [{ address: /s, owner: no-such-user }]"),
            "f:2:32: owner: 'no-such-user' is no user of this system; write its number\n");
  EXPECT_EQ(
      errors_behind_a_pool("listen: [{ address: a:1, group: 5 }]"),
      "f:2:26: group: only the file of a unix socket has one, and this is a:1; leave it out\n");
}

TEST(ConfigValues, PeersAreNamedAndBelongToAUnixSocket) {
  const auto errors_in_peers = [](const std::string& peers) {
    return errors_behind_a_pool("listen: [{ address: /s, peers: " + peers + " }]");
  };

  EXPECT_EQ(errors_in_peers("{ uid: [0, root], gid: [4294967294] }"), "");
  EXPECT_EQ(errors_in_peers("{}"),
            "f:2:25: peers: nobody is named; write { uid: [...], gid: [...] }\n");
  EXPECT_EQ(errors_in_peers("{ uid: [], gid: 5 }"),
            "f:2:39: uid: an empty list where a list of numbers or names belongs\n"
            "f:2:48: gid: a single value where a list of numbers or names belongs\n");
  EXPECT_EQ(errors_in_peers("{ uid: [no-such-user, -1], gid: [4294967295] }"),
            "f:2:40: uid: 'no-such-user' is no user of this system; write its number\n"
            "f:2:54: uid: '-1' is no user of this system; write its number\n"
            "f:2:65: gid: '4294967295' is no group of this system; write its number\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [{ address: a:1, peers: { uid: [0] } }]"),
            "f:2:26: peers: only a unix socket knows its peers, and this is a:1; leave it out\n");
}

TEST(ConfigValues, AModeIsOctalAndBelongsToAUnixSocket) {
  EXPECT_EQ(errors_behind_a_pool("listen: [{ address: a:1, mode: \"0660\" }]"),
            "f:2:32: mode: only a unix socket has one, and this is a:1; leave it out\n");
  for (const std::string bad : {"0999", "rw", "1777", "6", "00660", "0o660", "0000"}) {
    EXPECT_EQ(errors_behind_a_pool("listen: [{ address: /s, mode: " + bad + " }]"),
              "f:2:31: mode: '" + bad + "' is no permissions; write octal digits, as \"0660\"\n");
  }
  EXPECT_EQ(errors_behind_a_pool("listen: [{ address: /s, mode: 0660 }]"), "");
}

TEST(ConfigValues, APoolHasAPlainNameAndServers) {
  EXPECT_EQ(errors_in("workers: 1"),
            "f:1:1: pools: missing; the smallest useful file is "
            "pools: { main: { servers: [host:11211] } }\n");
  EXPECT_EQ(errors_in("pools: {}"),
            "f:1:8: pools: no pool; write pools: { main: { servers: [host:port] } }\n");
  EXPECT_EQ(errors_in("pools: [a:1]"), "f:1:8: pools: a list where a map of keys belongs\n");
  EXPECT_EQ(errors_in("pools: { main: }"),
            "f:1:10: main: has no servers; write servers: [host:port]\n");
  EXPECT_EQ(errors_in("pools: { a b: { servers: [a:1] } }"),
            "f:1:10: pools: 'a b' is no name for a pool; it has 1 to 64 letters, digits, '.', '-' "
            "and '_'\n");
}

TEST(ConfigValues, ARouteNamesAPool) {
  EXPECT_EQ(errors_behind_a_pool("route: mian"),
            "f:2:8: route: 'mian' is no pool; there is 'main'\n");
  EXPECT_EQ(errors_in("pools: { a: { servers: [a:1] }, b: { servers: [b:1] } }"),
            "f:1:1: route: missing, and there are several pools; name one of 'a', 'b'\n");
}

TEST(ConfigValues, ServersAreAListOfAddresses) {
  EXPECT_EQ(errors_in_servers("[]"), "f:1:27: servers: an empty list; write [host:port]\n");
  EXPECT_EQ(errors_in_servers("a:1"),
            "f:1:27: servers: a single value where a list belongs; write [host:port]\n");
  EXPECT_EQ(errors_in_servers("[[a:1]]"),
            "f:1:28: servers: a list where an address like host:port belongs\n");
  EXPECT_EQ(errors_in_servers("[a:0]"),
            "f:1:28: servers: 'a:0' has port 0; a server's is from 1 to 65535\n");
  EXPECT_EQ(errors_in_servers("[\"a\\tb:1\"]"),
            "f:1:28: servers: 'a?b:1' holds a control character\n");
  EXPECT_EQ(errors_in_servers("[{ weight: 1 }]"),
            "f:1:28: address: missing; write address: host:port or unix:/path\n");
}

TEST(ConfigValues, AServerIsInAPoolOnceUnderOneName) {
  EXPECT_EQ(errors_in_servers("[a:1, { address: a:1, name: other }]"),
            "f:1:33: servers: the address 'a:1' is given twice; the first is on line 1\n");
  EXPECT_EQ(errors_in_servers("[{ address: a:1, name: x }, { address: b:1, name: x }]"),
            "f:1:55: servers: the name 'x' is given twice; the first is on line 1\n");
  EXPECT_EQ(errors_in_servers("[a:1, { address: b:1, name: a:1 }]"),
            "f:1:33: servers: the name 'a:1' is given twice; the first is on line 1\n");
}

TEST(ConfigValues, AServersOwnKeysAreChecked) {
  EXPECT_EQ(errors_in_servers("[{ address: a:1, weight: 0 }]"),
            "f:1:52: weight: '0' is not a whole number from 1 to 1000000\n");
  EXPECT_EQ(errors_in_servers("[{ address: a:1, name: a b }]"),
            "f:1:44: name: 'a b' is no name for a server; it has 1 to 255 characters and no "
            "blank\n");
  EXPECT_EQ(errors_in_servers("[{ address: a:1, state: gone }]"),
            "f:1:51: state: 'gone' is none of up, down, drain\n");
  EXPECT_EQ(errors_in_servers("[{ address: a:1, state: drain }]"),
            "f:1:27: servers: all drain; leave one for their keys\n");
}

}  // namespace
}  // namespace mcsteady::config
