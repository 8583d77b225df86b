#include "config/failure_likes.h"

#include <array>

namespace mcsteady::config {
namespace {

using namespace std::chrono_literals;
using protocol::DownPolicy;
using routing::PastDown;

struct FailureLike {
  Duration connect;
  Duration response;
  int max_failures;
  Duration retry;
  Duration retry_max;
  double jitter;
  PastDown past_down;
};

// Their defaults. None has a limit of a request's whole time. Sources: dalli 5.0.6
// connection_manager.rb; libmemcached-awesome 1.1.4 (server_failure_limit, poll_timeout,
// retry_timeout); twemproxy 0.5.0 nc_conf.h, which waits for ever; mcrouter 9d7f434
// mcrouter_options_list.h; memcached 1.6's proxy, whose failure limit must be exceeded.
constexpr std::array<Choice<FailureLike>, 5> kLikes = {{
    {"dalli", {1s, 1s, 2, 30s, 30s, 0, PastDown::Rehash}},
    {"libmemcached", {4s, 5s, 5, 2s, 2s, 0, PastDown::Stay}},
    {"twemproxy", {1h, 1h, 2, 30s, 30s, 0, PastDown::Stay}},
    {"mcrouter", {1s, 1s, 3, 10s, 60s, 0.5, PastDown::Stay}},
    {"memcached-proxy", {5s, 3s, 4, 3s, 3s, 0, PastDown::Stay}},
}};

}  // namespace

bool read_failure_like(Section& pool, upstream::ServerOptions& server,
                       routing::PoolOptions& options) {
  if (!pool.has("like")) return false;
  const std::size_t errors_before = pool.errors().size();
  FailureLike like = kLikes.front().value;
  pool.read_choice<FailureLike>("like", like, kLikes);
  if (pool.errors().size() != errors_before) return false;
  server.connect_timeout = like.connect;
  server.response_timeout = like.response;
  server.request_timeout = Duration::zero();
  server.health.max_failures = like.max_failures;
  server.health.down_retry_delay = like.retry;
  server.health.down_retry_delay_max = like.retry_max;
  server.health.jitter = like.jitter;
  options.past_down = like.past_down;
  // Dalli goes on to another server and misses at last; the others tell of an error.
  const bool goes_on = like.past_down != PastDown::Stay;
  options.on_down = goes_on ? DownPolicy::Miss : DownPolicy::Error;
  return true;
}

}  // namespace mcsteady::config
