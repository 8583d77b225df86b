#include "discovery/cluster_source.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/sim_loop.h"
#include "support/sim_resolver.h"

namespace mcsteady::discovery {
namespace {

using namespace std::chrono_literals;

/// A configuration endpoint that answers a line by what it has for it, or not at all.
class Endpoint final : public net::Listener::Handler {
 public:
  Endpoint(net::EventLoop& loop, const std::string& host) {
    listener_ =
        loop.listen({.endpoint = {.host = host, .port = 11211, .unix_path = {}}}, *this).value();
  }
  void answer(const std::string& question, const std::string& reply) { replies_[question] = reply; }
  const std::vector<std::string>& asked() const { return asked_; }

 private:
  class Peer final : public net::Stream::Handler {
   public:
    Peer(Endpoint& owner, net::AcceptedSocket& socket) : owner_(owner) {
      stream_ = socket.start(*this);
    }
    std::span<char> room() override { return part_; }
    void on_received(std::size_t count) override {
      const std::string line(part_.data(), count);
      owner_.asked_.push_back(line);
      const auto reply = owner_.replies_.find(line);
      if (reply == owner_.replies_.end()) return;
      unsent_ += reply->second;
      stream_->flush();
    }
    void on_end_of_file() override { stream_->close(); }
    std::size_t pieces(std::span<iovec> out) override {
      if (unsent_.empty()) return 0;
      out[0] = {unsent_.data(), unsent_.size()};
      return 1;
    }
    void on_sent(std::size_t count) override { unsent_.erase(0, count); }
    void on_broken(net::Breakage) override {}

   private:
    Endpoint& owner_;
    std::string unsent_;
    std::array<char, 256> part_{};
    std::unique_ptr<net::Stream> stream_;
  };

  void on_accepted(std::unique_ptr<net::AcceptedSocket> socket) override {
    peers_.push_back(std::make_unique<Peer>(*this, *socket));
  }
  std::map<std::string, std::string> replies_;
  std::vector<std::string> asked_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::unique_ptr<net::Listener> listener_;
};

std::string reply(const std::string& payload, const std::string& head = "CONFIG cluster") {
  return head + " 0 " + std::to_string(payload.size()) + "\r\n" + payload + "\r\nEND\r\n";
}

class ClusterSourceTest : public testing::Test {
 protected:
  ClusterSourceTest() { resolver.set("cluster", {"10.0.0.1"}); }
  /// What it says within `within`: the servers, or the error.
  std::string ask(Duration within = 1s) {
    std::string said = "nothing";
    source.ask([&](const Result<Listing, std::string>& listing) {
      said = listing ? listing->evidence + ":" : listing.error();
      if (!listing) return;
      for (const Candidate& candidate : listing->candidates) said += " " + candidate.at.text();
    });
    loop.run_for(within);
    return said;
  }

  test::SimNetwork network{1};
  test::SimLoop far{network};
  test::SimLoop loop{network};
  test::SimResolver resolver{loop};
  Endpoint endpoint{far, "10.0.0.1"};
  ClusterSource source{loop,
                       resolver,
                       {.kind = routing::SourceOptions::Kind::ElastiCache,
                        .at = {.host = "cluster", .port = 11211, .unix_path = {}}},
                       nullptr};
};

TEST_F(ClusterSourceTest, ListsTheNodesOfTheCluster) {
  endpoint.answer("config get cluster\r\n", reply("4\nb|10.0.0.2|1 a|10.0.0.3|1\n"));

  EXPECT_EQ(ask(), "version 4: b:1 a:1");
  EXPECT_EQ(ask(), "version 4: b:1 a:1");
}

TEST_F(ClusterSourceTest, AsksInTheOldFormWhereTheNewOneIsNotKnown) {
  endpoint.answer("config get cluster\r\n", "ERROR\r\n");
  endpoint.answer("get AmazonElastiCache:cluster\r\n",
                  reply("1\na|10.0.0.2|1\n", "VALUE AmazonElastiCache:cluster"));

  EXPECT_EQ(ask(), "version 1: a:1");
}

TEST_F(ClusterSourceTest, SaysWhyThereIsNoCluster) {
  endpoint.answer("config get cluster\r\n", "ERROR\r\n");
  endpoint.answer("get AmazonElastiCache:cluster\r\n", "END\r\n");

  EXPECT_EQ(ask(), "no cluster: it answers 'END'");
}

TEST_F(ClusterSourceTest, GivesUpAnEndpointThatDoesNotAnswer) {
  EXPECT_EQ(ask(ClusterSource::kAnswerMax + 1s), "no answer in time");
  endpoint.answer("config get cluster\r\n", reply("4\na|10.0.0.3|1\n"));

  EXPECT_EQ(ask(), "version 4: a:1");
}

TEST_F(ClusterSourceTest, GivesUpAResolverThatHangs) {
  resolver.hang(true);

  EXPECT_EQ(ask(ClusterSource::kAnswerMax + 1s), "no answer in time");
}

TEST_F(ClusterSourceTest, TriesEachAddressOfTheEndpoint) {
  resolver.set("cluster", {"10.0.0.9", "10.0.0.1"});
  endpoint.answer("config get cluster\r\n", reply("4\na|10.0.0.3|1\n"));

  EXPECT_EQ(ask(5s), "version 4: a:1");
}

TEST_F(ClusterSourceTest, DoesNotBelieveAnOlderVersionUnlessItStays) {
  endpoint.answer("config get cluster\r\n", reply("9\na|10.0.0.3|1\n"));
  ask();
  endpoint.answer("config get cluster\r\n", reply("2\nb|10.0.0.3|1\n"));

  EXPECT_EQ(ask(), "version 2 is older than 9, which was seen already");
  EXPECT_EQ(ask(), "version 2 is older than 9, which was seen already");
  EXPECT_EQ(ask(), "version 2: b:1");
}

}  // namespace
}  // namespace mcsteady::discovery
