#pragma once

#include <cstddef>

#include "mcsteady/metrics/metrics.h"
#include "mcsteady/metrics/registry.h"
#include "mcsteady/upstream/exchange.h"

namespace mcsteady::proxy {

/// Requests that no client waits for: copies for a shadow, and values that a migration carries
/// over. They may not cost those that clients do wait for: only so many are under way at once, and
/// those beyond are not sent, but counted.
/// Owner: Router; outlives what is under way. Thread: its worker's.
class SideRequests final : public upstream::Exchange::Owner {
 public:
  static constexpr std::size_t kUnderWayMax = 256;
  static constexpr std::size_t kBytesMax = std::size_t{4}
                                           << 20;  // of the requests, not the replies

  /// `registry` outlives this.
  explicit SideRequests(metrics::Registry& registry);

  /// Whether a request of so many bytes may be sent now; if not, it is counted as dropped.
  bool has_room(std::size_t bytes);
  /// From here on the exchange is under way, and is to be sent.
  void adopt(upstream::Exchange& exchange);

 private:
  void on_item(upstream::Exchange& exchange, upstream::Item&& item) override;
  void on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) override;
  void on_failed(upstream::Exchange& exchange, upstream::Failure failure) override;
  void end(const upstream::Exchange& exchange);

  std::size_t under_way_ = 0;
  std::size_t bytes_ = 0;
  metrics::Counter sent_, dropped_, failed_;
};

}  // namespace mcsteady::proxy
