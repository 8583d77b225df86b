// The resolver against a name server of the test's own, on the same loop.

#include "mcsteady/net/resolver.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <sys/socket.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/loop_fixture.h"

namespace mcsteady::net {
namespace {

std::string u16(unsigned value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value & 0xff)};
}
std::string record(unsigned type, unsigned ttl, const std::string& data) {
  return "\xc0\x0c" + u16(type) + u16(1) + u16(ttl >> 16) + u16(ttl & 0xffff) +
         u16(static_cast<unsigned>(data.size())) + data;
}

/// Answers every question for a type with the records that it has of it, over UDP.
class OneName {
 public:
  explicit OneName(EventLoop& loop) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    socklen_t size = sizeof at;
    getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&at), &size);
    place_ = {.host = "127.0.0.1", .port = ntohs(at.sin_port), .unix_path = {}};
    watch_ = loop.watch(socket_.get(), {.to_read = true, .to_write = false},
                        [this](Ready) { answer(); });
  }
  const Endpoint& place() const { return place_; }
  void add(unsigned type, unsigned ttl, const std::string& data) {
    ++counts_[type];
    records_[type] += record(type, ttl, data);
  }
  void hang() { hangs_ = true; }
  int questions() const { return questions_; }

 private:
  void answer() {
    char question[512];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t length = recvfrom(socket_.get(), question, sizeof question, 0,
                                    reinterpret_cast<sockaddr*>(&from), &size);
    ++questions_;
    if (length < 12 || hangs_) return;
    const std::string asked(question + 12, static_cast<std::size_t>(length) - 12);
    const std::size_t end = asked.find('\0') + 1;
    const auto type = static_cast<unsigned char>(asked[end + 1]);
    const bool known = !records_.empty();
    const std::string reply = std::string(question, 2) + u16(known ? 0x8180 : 0x8183) + u16(1) +
                              u16(counts_[type]) + u16(0) + u16(0) + asked.substr(0, end + 4) +
                              (known ? records_[type] : "");
    sendto(socket_.get(), reply.data(), reply.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
  }

  UniqueFd socket_;
  Endpoint place_;
  std::map<unsigned, std::string> records_;
  std::map<unsigned, unsigned> counts_;
  bool hangs_ = false;
  int questions_ = 0;
  std::unique_ptr<Watch> watch_;
};

class ResolverTest : public LoopTest {
 protected:
  ResolverTest() : server_(*loop_) {
    resolver_ = make_resolver(*loop_, {.servers = {server_.place()},
                                       .timeout = std::chrono::milliseconds(20),
                                       .tries = 2})
                    .value();
  }
  Result<AddressAnswer, LookupError> find(const std::string& host) {
    std::optional<Result<AddressAnswer, LookupError>> found;
    resolver_->find_addresses({.host = host, .port = 11211, .unix_path = {}},
                              [&](const auto& answer) { found = answer; });
    EXPECT_FALSE(found) << "not before it returns";
    run_until([&] { return found.has_value(); });
    return *found;
  }

  OneName server_;
  std::unique_ptr<Resolver> resolver_;
};
FOR_EACH_METHOD(ResolverTest);

TEST_P(ResolverTest, FindsAddressesOfBothKindsWithTheShortestTtl) {
  server_.add(ns_t_a, 60, std::string("\x0a\0\0\x01", 4));
  server_.add(ns_t_aaaa, 30, std::string("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16));

  const auto answer = find("cache.example.");

  ASSERT_TRUE(answer) << answer.error().text;
  std::vector<std::string> addresses;
  for (const Address& address : answer->addresses) addresses.push_back(address.text());
  std::ranges::sort(addresses);
  EXPECT_EQ(addresses, (std::vector<std::string>{"10.0.0.1:11211", "[2001:db8::1]:11211"}));
  EXPECT_EQ(answer->ttl, std::chrono::seconds(30));
}

TEST_P(ResolverTest, FindsSrvRecordsWithTheirTtl) {
  server_.add(ns_t_srv, 7, u16(10) + u16(20) + u16(11211) + std::string("\4node\7example\0", 14));
  std::optional<Result<ServiceAnswer, LookupError>> found;

  resolver_->find_services("_memcache._tcp.example.", [&](const auto& answer) { found = answer; });
  run_until([&] { return found.has_value(); });

  ASSERT_TRUE(*found) << found->error().text;
  EXPECT_EQ((*found)->ttl, std::chrono::seconds(7));
  ASSERT_EQ((*found)->records.size(), 1U);
  const ServiceRecord& record = (*found)->records.front();
  EXPECT_EQ(record.target, "node.example");
  EXPECT_EQ(record.port, 11211);
  EXPECT_EQ(record.priority, 10);
  EXPECT_EQ(record.weight, 20);
}

TEST_P(ResolverTest, FindsLocalhostWithoutAskingAndByIPv4First) {
  const auto answer = find("localhost");

  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(answer->addresses.front().text(), "127.0.0.1:11211");
  EXPECT_EQ(server_.questions(), 0);
}

TEST_P(ResolverTest, TellsANameThatIsNot) {
  const auto answer = find("nowhere.example.");

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, LookupError::Kind::NoSuchName);
}

TEST_P(ResolverTest, TellsANameServerThatHangs) {
  server_.hang();

  const auto answer = find("cache.example.");

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, LookupError::Kind::Timeout);
  EXPECT_GE(server_.questions(), 2);
}

TEST_P(ResolverTest, TellsNothingOnceItIsDestroyed) {
  bool told = false;
  resolver_->find_addresses({.host = "cache.example.", .port = 1, .unix_path = {}},
                            [&](const auto&) { told = true; });
  resolver_->find_addresses({.host = "localhost", .port = 1, .unix_path = {}},
                            [&](const auto&) { told = true; });

  resolver_.reset();
  run_turn();
  run_turn();

  EXPECT_FALSE(told);
}

TEST_P(ResolverTest, MayBeDestroyedInItsCallback) {
  bool told = false;
  resolver_->find_addresses({.host = "localhost", .port = 1, .unix_path = {}}, [&](const auto&) {
    resolver_.reset();
    told = true;
  });

  run_until([&] { return told; });
}

}  // namespace
}  // namespace mcsteady::net
