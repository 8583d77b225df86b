#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcsteady::bench {

enum class Dialect { Text, Meta };

struct ItemOptions {
  Dialect dialect = Dialect::Text;
  std::string key_prefix = "bench:";
  std::size_t key_count = 1000;
  std::size_t value_size = 100;  // bytes
  std::size_t keys_per_get = 1;  // neighbours, from a random first one on
};

/// What the load stores and what it expects to get back. All commands are composed beforehand, and
/// every value is a window of its own into one pattern, so that sending costs the load no copy.
/// Immutable once made.
class Items {
 public:
  explicit Items(const ItemOptions& options);

  const ItemOptions& options() const { return options_; }
  std::string_view get_command(std::size_t first_key) const { return gets_[first_key]; }
  /// The value and its CRLF follow.
  std::string_view set_command(std::size_t key) const { return sets_[key]; }
  std::string_view value(std::size_t key) const {
    return std::string_view(pattern_).substr(key % kWindows, options_.value_size);
  }
  /// The number of the key in front of `text`, which may go on behind it.
  std::optional<std::size_t> key_number(std::string_view text) const;

 private:
  static constexpr std::size_t kWindows = 4099;  // a prime: neighbours in a multi-get differ
  ItemOptions options_;
  std::string pattern_;
  std::vector<std::string> gets_;
  std::vector<std::string> sets_;
};

}  // namespace mcsteady::bench
