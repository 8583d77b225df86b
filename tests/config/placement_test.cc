#include <gtest/gtest.h>

#include <string>

#include "mcsteady/config/config.h"

namespace mcsteady::config {
namespace {

constexpr std::string_view kTwo = "[a:1, b:2]";

std::string pool_with(std::string_view servers, std::string_view placement) {
  return "pools:\n  main:\n    servers: " + std::string(servers) +
         "\n    placement: " + std::string(placement) + "\n";
}

/// What is wrong with a placement of two servers, or nothing.
std::string errors_of(std::string_view placement, std::string_view servers = kTwo) {
  const auto config = parse_config(pool_with(servers, placement), "f");
  std::string text;
  if (config) return text;
  for (const ConfigError& error : config.error()) text += error.text() + "\n";
  return text;
}

routing::PoolOptions pool_of(std::string_view placement, std::string_view servers = kTwo) {
  const auto config = parse_config(pool_with(servers, placement), "f");
  EXPECT_TRUE(config) << (config ? "" : config.error().front().text());
  return config ? config->worker.pools.front() : routing::PoolOptions{};
}

TEST(ConfigPlacement, AWordIsAClientWithItsDefaults) {
  EXPECT_EQ(pool_of("twemproxy").placement, pool_of("{ like: twemproxy }").placement);
  EXPECT_EQ(pool_of("ketama").placement,
            pool_of("{ like: libmemcached, distribution: ketama }").placement);
  EXPECT_EQ(pool_of("ketama_weighted").placement,
            pool_of("{ like: php, distribution: libketama_compatible }").placement);
  EXPECT_EQ(pool_of("modula").placement, pool_of("pylibmc").placement);
}

TEST(ConfigPlacement, KetamaIsWhatAPoolHasThatSaysNothing) {
  const auto silent = parse_config("pools: { main: { servers: [a:1, b:2] } }", "f");

  ASSERT_TRUE(silent);
  EXPECT_EQ(silent->worker.pools.front().placement, pool_of("ketama").placement);
}

TEST(ConfigPlacement, IsDescribedAsItWasWritten) {
  const std::string how = "{ like: twemproxy, hash_tag: \"{}\", hash_without_prefix: \"app:\" }";
  const auto config = parse_config(pool_with(kTwo, how), "f");

  ASSERT_TRUE(config);
  EXPECT_NE(describe(*config).find("placement: { like: twemproxy, hash_tag: \"{}\", "
                                   "hash_without_prefix: \"app:\" }\n"),
            std::string::npos);
}

TEST(ConfigPlacement, AnUnknownClientIsRefusedAndTheNearestNamed) {
  EXPECT_EQ(errors_of("twemprox").find("f:4:16: placement: 'twemprox' is none of ketama, "), 0u);
  EXPECT_NE(errors_of("twemprox").find("; did you mean 'twemproxy'?"), std::string::npos);
  EXPECT_EQ(errors_of("{ like: dali }").find("f:4:24: like: 'dali' is none of dalli, "), 0u);
  EXPECT_EQ(errors_of("{ hash: md5 }"),
            "f:4:16: like: missing; write { like: twemproxy, hash: md5 }\n");
  EXPECT_EQ(errors_of("[dalli]"),
            "f:4:16: placement: a list where a name, or a map with like: NAME, belongs\n");
}

TEST(ConfigPlacement, AnOptionThatTheClientDoesNotHaveIsRefused) {
  EXPECT_EQ(errors_of("{ like: dalli, hash: md5 }").find("f:4:31: unknown key 'hash'"), 0u);
  EXPECT_EQ(errors_of("{ like: twemproxy, hash: murmur3 }").find("f:4:41: hash: 'murmur3' is none"),
            0u);
  EXPECT_EQ(errors_of("{ like: pylibmc, ring: plain }"),
            "f:4:33: ring: modula has no ring; write distribution: ketama, or leave it\n");
  EXPECT_EQ(errors_of("{ like: php, distribution: ketama_weighted, ring_hash: md5 }"),
            "f:4:60: ring_hash: a weighted ring is always of MD5; leave ring_hash out, or write "
            "ring: plain\n");
  EXPECT_EQ(errors_of("{ like: memcached-proxy, omode: ketama }"),
            "f:4:41: omode: jump has none; write distribution: ring\n");
  EXPECT_EQ(errors_of("{ like: spymemcached, format: LIBMEMCACHED }"),
            "f:4:38: format: arraymod has no ring; write distribution: ketama\n");
  EXPECT_EQ(errors_of("{ like: xmemcached, distribution: gwhalin, hash: NATIVE_HASH }"),
            "f:4:59: hash: only distribution: array lets one choose; leave hash out\n");
}

TEST(ConfigPlacement, TagsFiltersAndPointsHaveTheirShapes) {
  EXPECT_EQ(errors_of("{ like: twemproxy, hash_tag: \"{\" }"),
            "f:4:35: hash_tag: '{' is not two characters, as in \"{}\"\n");
  EXPECT_EQ(errors_of("{ like: memcached-proxy, filter: tags }"),
            "f:4:41: filter_conf: missing; write filter_conf: \"{}\" for tags, \"|#|\" for stop\n");
  EXPECT_EQ(errors_of("{ like: memcached-proxy, filter_conf: \"{}\" }"),
            "f:4:41: filter_conf: there is no filter; write filter: tags or filter: stop\n");
  EXPECT_EQ(errors_of("{ like: memcached-proxy, distribution: ring, omode: ketama, obuckets: 42 }"),
            "f:4:76: obuckets: an MD5 gives four points; a multiple of 4 belongs here\n");
}

TEST(ConfigPlacement, McroutersWeightsAreNumbersOneAServer) {
  EXPECT_EQ(errors_of("{ like: mcrouter, weights: [1, x] }"),
            "f:4:47: weights: 'x' is not a number from 0 on\n");
  EXPECT_EQ(errors_of("{ like: mcrouter, weights: [1, 2] }"),
            "f:4:34: weights: WeightedCh3 takes weights from 0 to 1\n");
  EXPECT_EQ(errors_of("{ like: mcrouter, weights: [1, 1, 1] }"),
            "f:4:16: weights: 3 for 2 servers; one a server belongs here\n");
  EXPECT_EQ(errors_of("{ like: mcrouter, hash: Ch3, weights: [1, 1] }"),
            "f:4:45: weights: only hash: WeightedCh3 and WeightedRendezvous have weights\n");
  EXPECT_EQ(errors_of("{ like: mcrouter, hash: WeightedCh3 }"),
            "f:4:34: weights: missing; WeightedCh3 needs one a server, from 0 to 1: weights: [1, "
            "0.5]\n");
}

TEST(ConfigPlacement, APrefixThatIsNotHashedIsGivenOnce) {
  EXPECT_EQ(
      pool_of("{ like: pylibmc, hash_without_prefix: \"app:\" }").placement.key.prefix_ignored,
      "app:");
  EXPECT_EQ(pool_of("{ like: pylibmc, prefix: \"app:\", hash_without_prefix: true }").placement,
            pool_of("{ like: pylibmc, hash_without_prefix: \"app:\" }").placement);
  EXPECT_EQ(errors_of("{ like: pylibmc, prefix: p }"),
            "f:4:33: prefix: is hashed like the rest of a key; add hash_without_prefix: true\n");
  EXPECT_EQ(errors_of("{ like: pylibmc, hash_without_prefix: true }"),
            "f:4:33: hash_without_prefix: which one? write hash_without_prefix: \"app:\"\n");
}

TEST(ConfigPlacement, ARingOfJavasNeedsTheAddressThatANameHad) {
  const std::string_view ring = "{ like: spymemcached, distribution: ketama }";

  EXPECT_EQ(errors_of(ring, "[a:1, 10.0.0.2:1]"),
            "f:4:16: placement: the ring holds the address that a client looked up for 'a'; give "
            "it, as in servers: [{ address: a:1, ip: 10.0.0.1 }]\n");
  EXPECT_EQ(errors_of(ring, "[{ address: a:1, ip: 10.0.0.1 }, 10.0.0.2:1]"), "");
  EXPECT_EQ(errors_of(ring, "[{ address: a:1, ip: a }, 10.0.0.2:1]").find("f:3:31: ip: 'a' is not"),
            0u);
}

TEST(ConfigPlacement, WeightsThatAreCountedOutAreRefusedWhenTheyAreTooMany) {
  const std::string_view servers =
      "[{ address: a:1, weight: 1000000 }, { address: b:1, weight: 1 }]";

  EXPECT_EQ(errors_of("{ like: twemproxy, distribution: modula }", servers)
                .find("f:4:16: placement: weights of 1000001 in all are too many"),
            0u);
  EXPECT_EQ(errors_of("twemproxy", servers), "");
}

}  // namespace
}  // namespace mcsteady::config
