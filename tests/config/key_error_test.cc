#include <gtest/gtest.h>

#include <string>

#include "config/errors.h"

namespace mcsteady::config {
namespace {

TEST(ConfigKeys, AnUnknownKeyIsToldTheNearestKnownOne) {
  EXPECT_EQ(errors_behind_a_pool("worker: 2"),
            "f:2:1: unknown key 'worker'; did you mean 'workers'?\n");
  EXPECT_EQ(errors_in_pool("timeouts: { conect: 1s }"),
            "f:1:48: unknown key 'conect'; did you mean 'connect'?\n");
}

TEST(ConfigKeys, AnUnknownKeyNearToNoneIsToldThemAll) {
  EXPECT_EQ(
      errors_behind_a_pool("tuning: 2"),
      "f:2:1: unknown key 'tuning'; known here: workers, io, version, listen, limits, pools, zone, "
      "route, "
      "routes, resolver, shutdown, log\n");
  EXPECT_EQ(errors_behind_a_pool("shutdown: { grace: 1s }"),
            "f:2:13: unknown key 'grace'; known here: drain_timeout\n");
}

TEST(ConfigKeys, AKeyGivenTwiceIsRefusedInEveryMap) {
  EXPECT_EQ(errors_behind_a_pool("workers: 1\nworkers: 2\n"),
            "f:3:1: 'workers' is given twice; the first is on line 2, keep one\n");
  EXPECT_EQ(errors_in_pool("connections: 1, 'connections': 1"),
            "f:1:52: 'connections' is given twice; the first is on line 1, keep one\n");
  EXPECT_EQ(errors_in("pools:\n  main: { servers: [a:1] }\n  main: { servers: [b:1] }\n"),
            "f:3:3: 'main' is given twice; the first is on line 2, keep one\n");
}

TEST(ConfigKeys, AKeyWithoutAValueIsRefusedButAnEmptySectionIsNot) {
  EXPECT_EQ(errors_behind_a_pool("workers:\n"),
            "f:2:1: workers: has no value; give one, or leave the key out\n");
  EXPECT_EQ(errors_behind_a_pool("limits:\nlog: {}\nshutdown:\n"), "");
}

TEST(ConfigKeys, AValueOfTheWrongKindIsToldWhatBelongsThere) {
  EXPECT_EQ(errors_behind_a_pool("workers: [1]"),
            "f:2:10: workers: a list where a whole number from 1 to 256 belongs\n");
  EXPECT_EQ(errors_behind_a_pool("limits: 5"),
            "f:2:9: limits: a single value where a map of keys belongs\n");
  EXPECT_EQ(errors_behind_a_pool("log: { level: { a: b } }"),
            "f:2:15: level: a map where one of trace, debug, info, warn, error belongs\n");
  EXPECT_EQ(errors_behind_a_pool("shutdown: { drain_timeout: [] }"),
            "f:2:28: drain_timeout: a list where a duration like 250ms belongs\n");
  EXPECT_EQ(errors_in_pool("timeout_recovery: yes"),
            "f:1:54: timeout_recovery: 'yes' is neither true nor false\n");
}

TEST(ConfigKeys, EveryErrorIsToldAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(errors_in("log: { level: loud }\n"
                      "workers: 0\n"
                      "limits: { key: 300B }\n"
                      "pools: { main: { servers: [a] } }\n"
                      "route: other\n"),
            "f:1:15: level: 'loud' is none of trace, debug, info, warn, error\n"
            "f:2:10: workers: '0' is not a whole number from 1 to 256\n"
            "f:3:16: key: '300B' is out of range; from 1B to 250B is possible\n"
            "f:4:28: servers: 'a' has no port: write host:port\n"
            "f:5:8: route: 'other' is no pool; there is 'main'\n");
}

TEST(ConfigKeys, TextFromTheFileCannotSpeakToTheTerminal) {
  EXPECT_EQ(
      errors_behind_a_pool("\"a\\e[2Jb\": 1"),
      "f:2:1: unknown key 'a?[2Jb'; known here: workers, io, version, listen, limits, pools, zone, "
      "route, "
      "routes, resolver, shutdown, log\n");
  EXPECT_EQ(errors_behind_a_pool("io: " + std::string(100, 'x')),
            "f:2:5: io: '" + std::string(60, 'x') + "...' is none of auto, epoll, poll, select\n");
}

TEST(ConfigKeys, WhatComesLaterIsRefusedWithAClearWord) {
  EXPECT_EQ(errors_behind_a_pool("admin: { address: 127.0.0.1:9150 }"),
            "f:2:1: admin: not supported yet; leave it out\n");
  EXPECT_EQ(errors_behind_a_pool("io: io_uring"),
            "f:2:5: io: 'io_uring' is not supported yet; this version has auto, epoll, poll, "
            "select\n");
  EXPECT_EQ(errors_in_pool("hash: md5"), "f:1:36: hash: not supported yet; leave it out\n");
}

TEST(ConfigKeys, TlsSaysWhatIsMissing) {
  EXPECT_EQ(errors_in_pool("tls: { certificate: c.pem }"),
            "f:1:43: certificate: needs a key beside it\n");
  EXPECT_EQ(errors_behind_a_pool("listen: [{ address: a:1, tls: {} }]"),
            "f:2:26: tls: write { certificate: FILE, key: FILE }\n");
  EXPECT_EQ(errors_behind_a_pool(
                "listen: [{ address: a:1, tls: { certificate: c, key: k, client_names: [a] } }]"),
            "f:2:57: client_names: needs client_ca beside it\n");
}

TEST(ConfigKeys, TlsOverAUnixSocketNeedsANameToVerify) {
  const auto errors = [](const std::string& tls) {
    return errors_in("pools: { main: { servers: [unix:/a], tls: " + tls + " } }");
  };
  EXPECT_EQ(errors("{}"),
            "f:1:38: tls: no name to verify at /a; write server_name: NAME in it, or verify: "
            "none\n");
  EXPECT_EQ(errors("{ verify: none }"), "");
  EXPECT_EQ(errors("{ server_name: cache.example }"), "");
}

}  // namespace
}  // namespace mcsteady::config
