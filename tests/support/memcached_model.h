#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/base/clock.h"

namespace mcsteady::test {

/// One command as memcached reads it: its line cut at blanks, and its body.
struct MemcachedCommand {
  std::string line;                // without its line end
  std::vector<std::string> words;  // never empty
  std::string body = {};           // of a storage command, without its CRLF
};

/// What memcached would answer, written from its doc/protocol.txt and kept apart from the code of
/// the product, so that the two do not share a mistake. Classic and meta, one command at a time.
/// Left out: stale items and recaching (meta I on ms and md is taken as a plain one; R, N and the
/// W, X, Z marks), stats, item size limits, LRU.
class MemcachedModel {
 public:
  /// Bytes of body that follow a line of these words; unset: none. SIZE_MAX: no telling, because
  /// the line is malformed.
  static std::optional<std::size_t> body_size(const std::vector<std::string>& words);

  /// The reply, which is empty where the command asked for none. `now` is the server's clock.
  std::string execute(const MemcachedCommand& command, TimePoint now);

  // The test's own view of it.
  std::optional<std::string> value(const std::string& key) const;
  void set(const std::string& key, std::string value, std::uint32_t flags = 0);
  std::size_t size() const { return items_.size(); }
  void clear() { items_.clear(); }

 private:
  struct Item {
    std::string value;
    std::uint32_t flags = 0;
    std::uint64_t cas = 0;
    TimePoint expires = TimePoint::max();
    TimePoint last_access{};
    bool fetched = false;
  };
  enum class Stored { Stored, NotStored, Exists, NotFound };
  struct Store {  // one storage command, whichever dialect it came in
    std::string mode = {};
    std::string key = {};
    std::string value = {};
    std::uint32_t flags = 0;
    TimePoint expires = TimePoint::max();
    std::optional<std::uint64_t> compare = {};   // cas
    std::optional<std::uint64_t> new_cas = {};   // meta E
    std::optional<TimePoint> vivify_until = {};  // meta append with N
  };
  class Meta;

  std::string retrieve(const std::vector<std::string>& words);
  std::string store_classic(const MemcachedCommand& command);
  std::string count(const std::vector<std::string>& words);
  std::string remove(const std::vector<std::string>& words);
  std::string touch(const std::vector<std::string>& words);
  std::string flush_all();
  std::string meta(const MemcachedCommand& command);
  std::string meta_get(const Meta& request);
  std::string meta_set(const Meta& request, const std::string& body);
  std::string meta_delete(const Meta& request);
  std::string meta_arithmetic(const Meta& request);
  std::string meta_debug(const Meta& request);

  Item* find(const std::string& key);
  Stored store(const Store& request);
  /// The new value; unset: the stored one is no number.
  static std::optional<std::uint64_t> calculate(const std::string& value, std::uint64_t delta,
                                                bool increment);
  /// Replaces the value in place as memcached's decr does: padded with blanks, never shorter.
  void replace_number(Item& item, std::uint64_t number);
  TimePoint expiry(std::string_view seconds) const;
  std::int64_t ttl(const Item& item) const;

  std::map<std::string, Item, std::less<>> items_;
  std::uint64_t last_cas_ = 0;
  TimePoint now_{};
};

}  // namespace mcsteady::test
