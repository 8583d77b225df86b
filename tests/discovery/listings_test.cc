#include "discovery/listings.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace mcsteady::discovery {
namespace {

using Seen = std::vector<std::pair<std::string, std::uint32_t>>;

Seen seen(const Listing& listing) {
  Seen names;
  for (const Candidate& candidate : listing.candidates) {
    names.emplace_back(candidate.at.text(), candidate.weight);
  }
  return names;
}
net::Address address(const std::string& host) {
  return *net::numeric_address({.host = host, .port = 11211, .unix_path = {}});
}

TEST(Listings, MakeAServerOfEachAddressInTheSameOrderHoweverTheyCome) {
  const net::AddressAnswer answer{
      .addresses = {address("10.0.0.2"), address("2001:db8::1"), address("10.0.0.1")},
      .ttl = std::chrono::seconds(5)};

  const Listing listing = listing_of(answer);

  EXPECT_EQ(seen(listing),
            (Seen{{"10.0.0.1:11211", 1}, {"10.0.0.2:11211", 1}, {"[2001:db8::1]:11211", 1}}));
  EXPECT_EQ(listing.candidates[0].address, address("10.0.0.1"));
  EXPECT_EQ(listing.ttl, std::chrono::seconds(5));
}

TEST(Listings, TakeTheSrvRecordsOfTheBestPriority) {
  const net::ServiceAnswer answer{
      .records = {{"b", 2, 10, 3}, {"spare", 1, 20, 9}, {"a", 1, 10, 1}}, .ttl = {}};

  EXPECT_EQ(seen(listing_of(answer)), (Seen{{"a:1", 1}, {"b:2", 3}}));
}

TEST(Listings, ReduceWeightsToTheLowestTerms) {
  const net::ServiceAnswer equal{.records = {{"a", 1, 1, 33}, {"b", 1, 1, 33}, {"c", 1, 1, 33}},
                                 .ttl = {}};
  const net::ServiceAnswer uneven{.records = {{"a", 1, 1, 20}, {"b", 1, 1, 60}, {"c", 1, 1, 0}},
                                  .ttl = {}};
  const net::ServiceAnswer none{.records = {{"a", 1, 1, 0}, {"b", 1, 1, 0}}, .ttl = {}};

  EXPECT_EQ(seen(listing_of(equal)), (Seen{{"a:1", 1}, {"b:1", 1}, {"c:1", 1}}));
  EXPECT_EQ(seen(listing_of(uneven)), (Seen{{"a:1", 1}, {"b:1", 3}, {"c:1", 1}}));
  EXPECT_EQ(seen(listing_of(none)), (Seen{{"a:1", 1}, {"b:1", 1}}));
}

TEST(Listings, LeaveOutSrvRecordsThatSayThereIsNoService) {
  const net::ServiceAnswer answer{.records = {{"", 0, 0, 0}, {".", 1, 0, 1}, {"a", 0, 0, 1}},
                                  .ttl = {}};

  EXPECT_TRUE(listing_of(answer).candidates.empty());
}

TEST(Listings, NameATargetOnce) {
  const net::ServiceAnswer answer{.records = {{"a", 1, 1, 5}, {"a", 1, 1, 5}}, .ttl = {}};

  EXPECT_EQ(seen(listing_of(answer)), (Seen{{"a:1", 1}}));
}

TEST(Listings, KeepTheOrderOfACluster) {
  ClusterConfig config;
  config.nodes = {{.at = {.host = "z", .port = 1, .unix_path = {}}, .address = address("10.0.0.1")},
                  {.at = {.host = "a", .port = 1, .unix_path = {}}, .address = {}}};

  EXPECT_EQ(seen(listing_of(config)), (Seen{{"z:1", 1}, {"a:1", 1}}));
}

}  // namespace
}  // namespace mcsteady::discovery
