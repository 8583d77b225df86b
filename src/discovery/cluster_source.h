#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "discovery/source.h"
#include "mcsteady/discovery/cluster_config.h"
#include "mcsteady/net/event_loop.h"
#include "mcsteady/net/tls.h"

namespace mcsteady::discovery {

/// Asks a configuration endpoint: looks its name up, connects to its addresses in turn, asks in the
/// new form and, where that is not known, in the old one. A connection for each question: there is
/// one a minute, and the node behind the endpoint's name may be another by then.
class ClusterSource final : public Source, private net::Stream::Handler, private net::Task {
 public:
  /// For all of a question, looking the name up included.
  static constexpr Duration kAnswerMax = std::chrono::seconds(10);
  /// To one address.
  static constexpr Duration kConnectMax = std::chrono::seconds(2);
  /// A node that lags behind tells an older version than was seen already: it is not believed,
  /// unless so many answers in a row agree (the cluster has been made anew).
  static constexpr int kOlderToBelieve = 3;

  /// `tls`: how it is spoken to, as the pool's servers are; null: plainly.
  ClusterSource(net::EventLoop& loop, net::Resolver& resolver,
                const routing::SourceOptions& options, std::shared_ptr<net::TlsClient> tls);
  ~ClusterSource() override;
  ClusterSource(const ClusterSource&) = delete;
  ClusterSource& operator=(const ClusterSource&) = delete;

  void ask(ListingCallback callback) override;

 private:
  void on_connected() override;
  std::span<char> room() override { return input_part_; }
  void on_received(std::size_t count) override;
  void on_end_of_file() override { try_next("it closed the connection"); }
  std::size_t pieces(std::span<iovec> out) override;
  void on_sent(std::size_t count) override { unsent_.remove_prefix(count); }
  void on_broken(net::Breakage breakage) override { try_next(net::to_string(breakage.kind)); }
  void run() override;  // at the turn's end

  void on_addresses(const Result<net::AddressAnswer, net::LookupError>& answer);
  void connect();
  void try_next(std::string why);
  void say(std::string_view command);
  void on_config(const ClusterConfig& config);
  void finish(Result<Listing, std::string> result);

  net::EventLoop& loop_;
  net::Resolver& resolver_;
  const routing::SourceOptions options_;
  const std::shared_ptr<net::TlsClient> tls_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

  ListingCallback callback_;  // set while a question is under way
  Result<Listing, std::string> result_ = Listing{};
  std::vector<net::Address> addresses_;
  std::size_t next_address_ = 0;
  std::unique_ptr<net::Timer> answer_timer_;
  std::unique_ptr<net::Timer> connect_timer_;
  std::unique_ptr<net::Stream> stream_;
  std::vector<std::unique_ptr<net::Stream>> closed_;  // until the turn ends
  bool in_old_form_ = false;
  bool finished_ = false;  // result_ is to be told at the turn's end
  std::string_view unsent_;
  std::string input_;
  std::array<char, 4096> input_part_{};
  std::uint64_t version_ = 0;
  int older_in_a_row_ = 0;
};

}  // namespace mcsteady::discovery
