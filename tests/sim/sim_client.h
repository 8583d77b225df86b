#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/net/stream.h"
#include "support/rng.h"
#include "support/sim_loop.h"

namespace mcsteady::test {

/// What a client may hold its replies to.
enum class Expect {
  Exact,   // nothing fails, so every reply is the one that memcached would give
  Moving,  // nothing fails, but keys move to other servers: misses and older versions are right
  Honest,  // requests may fail or be lost, but a value is always one that was written to its key
};

/// A client with keys of its own: sends random requests in random batches, reads when it feels like
/// it, and holds every reply against what it has written. Values name their key and version, so a
/// reply that went to the wrong request cannot pass.
class SimClient final : public net::Stream::Handler {
 public:
  SimClient(SimLoop& loop, const net::Address& proxy, int id, Rng rng, Expect expect,
            std::size_t value_max);

  /// Sends some more requests; up to `limit` in all.
  void act(std::size_t limit);
  void set_receiving(bool on) { stream_->set_receiving(on); }
  void close();

  bool closed() const { return closed_; }
  bool hung_up_on() const { return ended_ && !closed_; }  // by the proxy
  std::size_t owed() const { return owed_.size(); }
  std::size_t sent() const { return requests_; }
  std::size_t failures() const { return failures_; }  // replies that said that something failed
  /// What was wrong with a reply, in words; empty: nothing.
  const std::string& complaint() const { return complaint_; }

 private:
  struct Key {
    std::string name;
    int newest = 0;          // versions count from 1; 0: never written
    int confirmed = 0;       // what it must be, where nothing failed; 0: absent
    std::set<int> possible;  // where something did
  };
  struct Asked {
    Key* key;
    int at_least;   // Honest: the newest version that was confirmed when it was asked
    int confirmed;  // Exact: the version it must have; 0: a miss
  };
  struct Owed {
    enum class Kind { Get, MetaGet, QuietMetaGet, Set, MetaSet, Delete, Noop } kind;
    std::vector<Asked> asked;
    int version = 0;  // of a write
    std::string opaque;
  };

  // net::Stream::Handler
  std::span<char> room() override { return buffer_; }
  void on_received(std::size_t count) override;
  void on_end_of_file() override { ended_ = true; }
  std::size_t pieces(std::span<iovec> out) override;
  void on_sent(std::size_t count) override { unsent_.erase(0, count); }
  void on_broken(net::Breakage) override { ended_ = true; }

  Key& any_key() { return keys_[rng_.below(keys_.size())]; }
  Asked ask(Key& key) { return {&key, key.confirmed, key.confirmed}; }
  std::string value(const Key& key, int version);
  void send_request();
  void send_write(Owed::Kind kind, std::string_view verb);
  void send_get();

  bool check_front();
  std::optional<std::string_view> peek_line() const;
  bool check_items(const Owed& owed);
  bool check_meta_get(const Owed& owed);
  bool check_write(Owed& owed);
  bool check_value(const Asked& asked, std::string_view value);
  void check_miss(const Asked& asked);
  void fail(const Owed& owed, std::string_view line);
  void complain(const std::string& what, std::string_view line);

  const int id_;
  Rng rng_;
  const Expect expect_;
  const std::size_t value_max_;
  std::vector<Key> keys_;
  std::deque<Owed> owed_;
  std::string received_;
  std::string unsent_;
  std::string complaint_;
  std::size_t requests_ = 0;
  std::size_t failures_ = 0;
  bool ended_ = false;
  bool closed_ = false;
  std::array<char, 4096> buffer_{};
  std::unique_ptr<net::Stream> stream_;
};

}  // namespace mcsteady::test
