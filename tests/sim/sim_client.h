#pragma once

#include <array>
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
  Exact,  // nothing fails, so every reply is the one that memcached would give
  Ahead,  // likewise; but what is read nowhere is looked for again, and may be there by then if the
          // client has gone on to write it
  Moving,  // nothing fails, but keys move to other servers: misses and older versions are right
  Honest,  // requests may fail or be lost, but a value is always one that was written to its key
};

/// A client with keys of its own: sends random requests in random batches, reads when it feels like
/// it, and holds every reply against what it has written. Values name their key and version, so a
/// reply that went to the wrong request cannot pass. What it speaks is up to its subclass.
class SimClient : public net::Stream::Handler {
 public:
  /// Sends some more requests; up to `limit` in all.
  void act(std::size_t limit);
  void set_receiving(bool on) { stream_->set_receiving(on); }
  void close();

  bool closed() const { return closed_; }
  bool hung_up_on() const { return ended_ && !closed_; }  // by the proxy
  virtual std::size_t owed() const = 0;
  std::size_t sent() const { return requests_; }
  std::size_t failures() const { return failures_; }  // replies that said that something failed
  /// What was wrong with a reply, in words; empty: nothing.
  const std::string& complaint() const { return complaint_; }

  bool is_exact() const { return expect_ == Expect::Exact || expect_ == Expect::Ahead; }

 protected:
  SimClient(SimLoop& loop, const net::Address& proxy, int id, Rng rng, Expect expect,
            std::size_t value_max);

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
    int newest;     // that was written, confirmed or not
  };

  /// Puts one request, or several that belong together, into unsent_.
  virtual void send_request() = 0;
  /// No more requests follow for now.
  virtual void end_batch() {}
  /// True: the reply at the front of received_ was whole, and has been taken.
  virtual bool check_front() = 0;

  Key& any_key() { return keys_[rng_.below(keys_.size())]; }
  Asked ask(Key& key) { return {&key, key.confirmed, key.confirmed, key.newest}; }
  std::string value(const Key& key, int version);
  int begin_write(Key& key);  // the version to write
  void delete_from(Key& key) { key.confirmed = 0; }

  bool check_value(const Asked& asked, std::string_view value);
  void check_miss(const Asked& asked);
  void check_deleted(const Asked& asked, bool was_there);
  void stored(const Asked& asked, int version);
  /// A reply said that something failed; `known`: in words that it may use.
  void failed(bool known, std::string_view said);
  void complain(const std::string& what, std::string_view said);

  Rng rng_;
  const Expect expect_;
  std::string received_;
  std::string unsent_;
  std::size_t requests_ = 0;

 private:
  // net::Stream::Handler
  std::span<char> room() override { return buffer_; }
  void on_received(std::size_t count) override;
  void on_end_of_file() override { ended_ = true; }
  std::size_t pieces(std::span<iovec> out) override;
  void on_sent(std::size_t count) override { unsent_.erase(0, count); }
  void on_broken(net::Breakage) override { ended_ = true; }

  const int id_;
  const std::size_t value_max_;
  std::vector<Key> keys_;
  std::string complaint_;
  std::size_t failures_ = 0;
  bool ended_ = false;
  bool closed_ = false;
  std::array<char, 4096> buffer_{};
  std::unique_ptr<net::Stream> stream_;
};

}  // namespace mcsteady::test
