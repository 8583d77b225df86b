#include "discovery/cluster_source.h"

#include <utility>

#include "discovery/listings.h"

namespace mcsteady::discovery {

ClusterSource::ClusterSource(net::EventLoop& loop, net::Resolver& resolver,
                             const routing::SourceOptions& options,
                             std::shared_ptr<net::TlsClient> tls)
    : loop_(loop), resolver_(resolver), options_(options), tls_(std::move(tls)) {
  answer_timer_ =
      loop_.make_timer([this](TimePoint) { finish(Unexpected{std::string("no answer in time")}); });
  connect_timer_ = loop_.make_timer([this](TimePoint) { try_next("no connection in time"); });
}

ClusterSource::~ClusterSource() = default;

void ClusterSource::ask(ListingCallback callback) {
  callback_ = std::move(callback);
  answer_timer_->set(loop_.now() + kAnswerMax);
  if (const auto numeric = net::numeric_address(options_.at)) {
    return on_addresses(net::AddressAnswer{.addresses = {*numeric}, .ttl = {}});
  }
  resolver_.find_addresses(options_.at, [this, alive = std::weak_ptr<bool>(alive_)](
                                            const Result<net::AddressAnswer, net::LookupError>& a) {
    if (!alive.expired()) on_addresses(a);
  });
}

void ClusterSource::on_addresses(const Result<net::AddressAnswer, net::LookupError>& answer) {
  if (!callback_ || stream_ || finished_) return;  // it came too late
  if (!answer) {
    return finish(Unexpected{"cannot resolve '" + options_.at.host + "': " + answer.error().text});
  }
  addresses_ = answer->addresses;
  next_address_ = 0;
  connect();
}

void ClusterSource::connect() {
  in_old_form_ = false;
  input_.clear();
  connect_timer_->set(loop_.now() + kConnectMax);
  const net::Address& to = addresses_[next_address_++];
  stream_ = tls_ ? tls_->connect(loop_, to, options_.at.host, *this) : loop_.connect(to, *this);
}

void ClusterSource::on_connected() {
  connect_timer_->clear();
  say(kConfigGetCluster);
}

void ClusterSource::say(std::string_view command) {
  unsent_ = command;
  stream_->flush();
}

std::size_t ClusterSource::pieces(std::span<iovec> out) {
  if (unsent_.empty() || out.empty()) return 0;
  out[0] = {const_cast<char*>(unsent_.data()), unsent_.size()};  // iovec has no const
  return 1;
}

void ClusterSource::on_received(std::size_t count) {
  input_.append(input_part_.data(), count);
  const auto config = parse_cluster_reply(input_);
  if (config && !*config) return;
  if (config) return on_config(**config);
  if (config.error().kind == ClusterReplyError::Kind::NotKnown && !in_old_form_) {
    in_old_form_ = true;
    input_.clear();
    return say(kGetClusterKey);
  }
  try_next("no cluster: " + config.error().text);
}

void ClusterSource::on_config(const ClusterConfig& config) {
  const bool is_older = config.version < version_;
  if (is_older && ++older_in_a_row_ < kOlderToBelieve) {
    return finish(Unexpected{"version " + std::to_string(config.version) + " is older than " +
                             std::to_string(version_) + ", which was seen already"});
  }
  older_in_a_row_ = 0;
  version_ = config.version;
  Listing listing = listing_of(config);
  listing.ttl = options_.poll;
  listing.evidence = "version " + std::to_string(version_);
  finish(std::move(listing));
}

void ClusterSource::try_next(std::string why) {
  connect_timer_->clear();
  if (next_address_ == addresses_.size()) return finish(Unexpected{std::move(why)});
  stream_->close();
  closed_.push_back(std::move(stream_));
  loop_.at_turn_end(*this);
  connect();
}

void ClusterSource::finish(Result<Listing, std::string> result) {
  if (!callback_) return;
  answer_timer_->clear();
  connect_timer_->clear();
  result_ = std::move(result);
  if (stream_) {
    stream_->close();
    closed_.push_back(std::move(stream_));
  }
  addresses_.clear();
  next_address_ = 0;
  finished_ = true;
  loop_.at_turn_end(*this);
}

void ClusterSource::run() {
  closed_.clear();
  if (!std::exchange(finished_, false)) return;
  const ListingCallback callback = std::exchange(callback_, nullptr);
  callback(std::move(result_));
}

}  // namespace mcsteady::discovery
