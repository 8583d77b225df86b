#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/error_list.h"
#include "config/yaml_tree.h"
#include "mcsteady/base/byte_count.h"
#include "mcsteady/base/clock.h"

namespace mcsteady::config {

struct NumberRange {
  std::int64_t min;
  std::int64_t max;
};
struct SizeRange {
  ByteCount min;
  ByteCount max;
};
enum class Zero { Refused, Allowed };

/// A word in a file and what it stands for.
template <class Value>
struct Choice {
  std::string_view word;
  Value value;
};

/// A map with known keys. Each read() names a key, reports what is wrong with its value, and leaves
/// `out` as it was when the key is absent or wrong. finish() reports the keys that nobody asked
/// for. Borrows the tree and the list; keys are string literals.
class Section {
 public:
  struct Entry {
    Mark key;
    const YamlNode* value;
  };

  /// A null node, or one that holds nothing, is a section with nothing in it. `name` is for errors.
  Section(const YamlNode* node, std::string_view name, ErrorList& errors);

  /// Unset if the key is absent. An empty value is an error, and as good as absent, unless the
  /// value is to be a map: see subsection().
  std::optional<Entry> find(std::string_view key);
  bool has(std::string_view key) const { return entries_.contains(key); }
  Section subsection(std::string_view key);
  /// The text of a scalar, or an error that says that a `wanted` belongs there.
  std::optional<std::string_view> scalar(std::string_view key, std::string_view wanted);

  template <class Number>
  void read_number(std::string_view key, Number& out, NumberRange range) {
    if (const auto number = number_at(key, range)) out = static_cast<Number>(*number);
  }
  /// A list of numbers, none below 0, with or without a fraction.
  void read_fractions(std::string_view key, std::vector<double>& out);
  void read_flag(std::string_view key, bool& out);
  void read_text(std::string_view key, std::string& out);
  void read_duration(std::string_view key, Duration& out, Zero zero);
  void read_size(std::string_view key, ByteCount& out, SizeRange range);
  /// `later` holds words that a coming version will take.
  template <class Value>
  void read_choice(std::string_view key, Value& out, std::span<const Choice<Value>> choices,
                   std::span<const std::string_view> later = {}) {
    std::vector<std::string_view> words;
    for (const auto& choice : choices) words.push_back(choice.word);
    if (const auto index = choice_at(key, words, later)) out = choices[*index].value;
  }
  /// The key belongs to a coming version.
  void refuse_for_now(std::string_view key);

  void finish();

  /// Where the key stands, or where the section does if it is absent.
  Mark mark_of(std::string_view key) const;
  void error(Mark at, std::string_view key, std::string message) {
    errors_.add(at, std::string(key) + ": " + std::move(message));
  }
  ErrorList& errors() { return errors_; }
  /// No error since this section was opened: what was read can be held against each other.
  bool is_sound() const { return errors_.size() == errors_before_; }

 private:
  void take_entries(const YamlNode& map);
  std::optional<std::int64_t> number_at(std::string_view key, NumberRange range);
  std::optional<std::size_t> choice_at(std::string_view key,
                                       std::span<const std::string_view> words,
                                       std::span<const std::string_view> later);

  ErrorList& errors_;
  std::size_t errors_before_;
  Mark mark_;
  std::map<std::string_view, Entry> entries_;
  std::vector<std::string_view> known_;
};

/// "a list", "a map", ...
std::string_view kind_name(const YamlNode& node);

}  // namespace mcsteady::config
