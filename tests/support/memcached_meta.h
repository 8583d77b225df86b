#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/memcached_model.h"

namespace mcsteady::test {

/// What a meta reply may tell of an item.
struct MetaFacts {
  std::string_view value;
  std::uint32_t flags = 0;
  std::uint64_t cas = 0;
  std::int64_t ttl = -1;
  std::int64_t seconds_since_access = 0;
  bool fetched = false;
};

/// A meta command's key and flags, and the reply lines that answer them.
class MemcachedModel::Meta {
 public:
  explicit Meta(const std::vector<std::string>& words);

  /// The error line that a malformed command gets; empty: it is well-formed.
  const std::string& refusal() const { return refusal_; }
  const std::string& key() const { return key_; }  // decoded
  const std::string& written_key() const { return words_[1]; }
  bool has(char flag) const;
  std::optional<std::string> token(char flag) const;

  /// `code` and the flags asked for, in the order asked. Without facts (there is no item) only
  /// opaque and key are told, as memcached does.
  std::string line(std::string_view code, const MetaFacts* facts) const;
  /// The same as VA, with the value.
  std::string value(const MetaFacts& facts) const;
  /// Whether flag q keeps this reply back.
  bool is_withheld(std::string_view reply) const;

 private:
  std::string told(const std::string& flag, const MetaFacts* facts) const;

  const std::vector<std::string>& words_;
  std::vector<std::string> flags_;
  std::string key_;
  std::string refusal_;
};

}  // namespace mcsteady::test
