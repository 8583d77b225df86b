#include "discovery/listings.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace mcsteady::discovery {

namespace {
std::string in_words(std::size_t count, const char* what, Duration ttl) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(ttl).count();
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s") + ", TTL " +
         std::to_string(seconds) + "s";
}

void put_in_order(std::vector<Candidate>& candidates) {
  const auto text = [](const Candidate& candidate) { return candidate.at.text(); };
  std::ranges::sort(candidates, {}, text);
  const auto twice = std::ranges::unique(candidates, {}, &Candidate::at);
  candidates.erase(twice.begin(), twice.end());
}

void reduce_weights(std::vector<Candidate>& candidates) {
  std::uint32_t divisor = 0;
  for (const Candidate& candidate : candidates) divisor = std::gcd(divisor, candidate.weight);
  for (Candidate& candidate : candidates) {
    candidate.weight = divisor == 0 ? 1 : std::max(1U, candidate.weight / divisor);
  }
}
}  // namespace

Listing listing_of(const net::AddressAnswer& answer) {
  Listing listing{.candidates = {},
                  .ttl = answer.ttl,
                  .evidence = in_words(answer.addresses.size(), "address record", answer.ttl)};
  for (const net::Address& address : answer.addresses) {
    if (const auto at = net::parse_endpoint(address.text())) {
      listing.candidates.push_back({.at = *at, .weight = 1, .address = address});
    }
  }
  put_in_order(listing.candidates);
  return listing;
}

Listing listing_of(const net::ServiceAnswer& answer) {
  Listing listing{.candidates = {},
                  .ttl = answer.ttl,
                  .evidence = in_words(answer.records.size(), "SRV record", answer.ttl)};
  std::uint16_t best = 0xffff;
  for (const net::ServiceRecord& record : answer.records) best = std::min(best, record.priority);
  for (const net::ServiceRecord& record : answer.records) {
    const auto at = net::parse_endpoint(record.target + ":" + std::to_string(record.port));
    if (record.priority != best || record.port == 0 || !at || at->is_unix()) continue;
    listing.candidates.push_back({.at = *at, .weight = record.weight, .address = {}});
  }
  put_in_order(listing.candidates);
  reduce_weights(listing.candidates);
  return listing;
}

Listing listing_of(const ClusterConfig& config) {
  Listing listing;
  for (const ClusterConfig::Node& node : config.nodes) {
    listing.candidates.push_back({.at = node.at, .weight = 1, .address = node.address});
  }
  return listing;
}

}  // namespace mcsteady::discovery
