#include "mcsteady/net/address.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

namespace mcsteady::net {
namespace {

struct Written {
  std::string text;
  Endpoint endpoint;
};
const std::vector<Written>& good() {
  static const std::vector<Written> table{
      {"127.0.0.1:11211", {"127.0.0.1", 11211, ""}},
      {"cache-1.example.net:11211", {"cache-1.example.net", 11211, ""}},
      {"my_cache:1", {"my_cache", 1, ""}},
      {"localhost:0", {"localhost", 0, ""}},
      {"localhost:65535", {"localhost", 65535, ""}},
      {"[::1]:11211", {"::1", 11211, ""}},
      {"[fe80::1%lo]:11211", {"fe80::1%lo", 11211, ""}},
      {"unix:/run/m.sock", {"", 0, "/run/m.sock"}},
      {"/run/m.sock", {"", 0, "/run/m.sock"}},
      {"unix:@mcsteady", {"", 0, "@mcsteady"}},
  };
  return table;
}

TEST(Endpoint, IsReadFromEveryWayOfWritingOne) {
  for (const Written& written : good()) {
    const auto endpoint = parse_endpoint(written.text);
    ASSERT_TRUE(endpoint) << written.text << ": " << endpoint.error();
    EXPECT_EQ(*endpoint, written.endpoint) << written.text;
  }
}

TEST(Endpoint, ReadsWhatItWrites) {
  for (const Written& written : good()) {
    EXPECT_EQ(parse_endpoint(written.endpoint.text()), written.endpoint) << written.text;
  }
}

TEST(Endpoint, SaysWhatWouldBeRight) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"", "write host:port"},
      {"localhost", "has no port: write host:port"},
      {":11211", "has no host"},
      {"*:11211", "0.0.0.0 for every address"},
      {"localhost:", "no number from 0 to 65535"},
      {"localhost:http", "no number from 0 to 65535"},
      {"localhost:65536", "no number from 0 to 65535"},
      {"localhost:-1", "no number from 0 to 65535"},
      {"localhost:+1", "no number from 0 to 65535"},
      {"localhost: 1", "no number from 0 to 65535"},
      {"local host:1", "characters that no name has"},
      {"tcp://localhost:1", "more than one colon"},
      {"::1:11211", "write an IPv6 address as [address]:port"},
      {"[::1]", "write [address]:port"},
      {"[::1]11211", "write [address]:port"},
      {"[::1", "write [address]:port"},
      {"[::1]:x", "no number from 0 to 65535"},
      {"[localhost]:1", "no IPv6 address"},
      {"[]:1", "no IPv6 address"},
      {"256.1.1.1:1", "four numbers up to 255"},
      {"1.2.3:1", "four numbers up to 255"},
      {"unix:", "write unix:/path"},
      {"unix:run/m.sock", "write unix:/path"},
      {"unix:@", "names no socket"},
      {"/", "names no socket"},
      {"@name", "needs unix:"},
      {"/" + std::string(107, 'x'), "at most 107 bytes"},
      {"unix:@" + std::string(107, 'x'), "at most 107 bytes"},
      {std::string(254, 'x') + ":1", "more than 253"},
  };
  for (const auto& [text, sentence] : table) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_NE(endpoint.error().find(sentence), std::string::npos)
        << text << ": " << endpoint.error();
    EXPECT_NE(endpoint.error().find(text), std::string::npos) << endpoint.error();
  }
}

TEST(Address, IsKnownWithoutALookUpForNumbersAndPaths) {
  const std::vector<std::pair<std::string, int>> table{{"127.0.0.1:80", AF_INET},
                                                       {"[::1]:80", AF_INET6},
                                                       {"/run/m.sock", AF_UNIX},
                                                       {"unix:@name", AF_UNIX}};
  for (const auto& [text, family] : table) {
    const auto address = numeric_address(*parse_endpoint(text));
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->family, family);
    EXPECT_EQ(address->text(), text);
  }
}

TEST(Address, IsNotKnownWithoutALookUpForNames) {
  EXPECT_FALSE(numeric_address(Endpoint{"localhost", 80, ""}));
}

TEST(Address, HoldsTheLongestPathsWhole) {
  for (const std::string& path : {"/" + std::string(106, 'x'), "@" + std::string(106, 'x')}) {
    const auto endpoint = parse_endpoint("unix:" + path);
    ASSERT_TRUE(endpoint);
    const std::string text = numeric_address(*endpoint)->text();
    EXPECT_EQ(parse_endpoint(text), *endpoint);
  }
}

TEST(Address, ResolvesLocalhost) {
  const auto address = resolve_blocking(Endpoint{"localhost", 80, ""});
  ASSERT_TRUE(address) << address.error();
  EXPECT_TRUE(address->text() == "127.0.0.1:80" || address->text() == "[::1]:80");
}

TEST(Address, SaysWhichNameDoesNotResolve) {
  const auto address = resolve_blocking(Endpoint{"no-such-host.invalid", 80, ""});
  ASSERT_FALSE(address);
  EXPECT_NE(address.error().find("'no-such-host.invalid'"), std::string::npos);
}

}  // namespace
}  // namespace mcsteady::net
