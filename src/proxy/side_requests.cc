#include "proxy/side_requests.h"

namespace mcsteady::proxy {

SideRequests::SideRequests(metrics::Registry& registry) {
  registry.add({"side_requests", ""}, sent_);
  registry.add({"side_requests_dropped", ""}, dropped_);
  registry.add({"side_requests_failed", ""}, failed_);
}

bool SideRequests::has_room(std::size_t bytes) {
  if (under_way_ < kUnderWayMax && bytes_ + bytes <= kBytesMax) return true;
  dropped_.add();
  return false;
}

void SideRequests::adopt(upstream::Exchange& exchange) {
  exchange.owner = this;
  ++under_way_;
  exchange.tag = static_cast<std::uint32_t>(exchange.head_size + exchange.body_size);
  bytes_ += exchange.tag;
  sent_.add();
}

void SideRequests::on_item(upstream::Exchange& exchange, upstream::Item&& item) {
  if (item.line.last) end(exchange);
}

void SideRequests::on_line(upstream::Exchange& exchange, const protocol::ReplyLine& line) {
  if (protocol::is_error(line.code)) failed_.add();
  end(exchange);
}

void SideRequests::on_failed(upstream::Exchange& exchange, upstream::Failure /*failure*/) {
  failed_.add();
  end(exchange);
}

void SideRequests::end(const upstream::Exchange& exchange) {
  --under_way_;
  bytes_ -= exchange.tag;
}

}  // namespace mcsteady::proxy
