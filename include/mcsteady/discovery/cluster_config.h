#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/base/result.h"
#include "mcsteady/net/address.h"

namespace mcsteady::discovery {

/// What a configuration endpoint of ElastiCache says of its cluster. Source: AWS, "Adding auto
/// discovery to your client library".
struct ClusterConfig {
  struct Node {
    net::Endpoint at;                     // by name; by its IP address where it has none
    std::optional<net::Address> address;  // where it was at that time, if the endpoint says so
  };
  std::uint64_t version = 0;  // counts the changes of the cluster
  std::vector<Node> nodes;    // at least one, in the order in which clients number them
};

struct ClusterReplyError {
  enum class Kind {
    NotKnown,   // the server knows no such command, or no such key: try the other form
    Malformed,  // and nothing behind it can be read either
  } kind = Kind::Malformed;
  std::string text;  // in words
};

/// The two forms of the question: for engine versions from 1.4.14 on, and for older ones.
inline constexpr std::string_view kConfigGetCluster = "config get cluster\r\n";
inline constexpr std::string_view kGetClusterKey = "get AmazonElastiCache:cluster\r\n";

/// Reads the reply to either form from the front of `input`. Empty: it has not ended; call again
/// with the same bytes and more behind them. Knows bytes only.
Result<std::optional<ClusterConfig>, ClusterReplyError> parse_cluster_reply(std::string_view input);

}  // namespace mcsteady::discovery
