#include "config/section.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/units.h"
#include "config/words.h"

namespace mcsteady::config {

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "nothing";
    case YamlNode::Kind::Scalar:
      return "a single value";
    case YamlNode::Kind::List:
      return "a list";
    case YamlNode::Kind::Map:
      return "a map";
  }
  return {};
}

Section::Section(const YamlNode* node, std::string_view name, ErrorList& errors)
    : errors_(errors), errors_before_(errors.size()) {
  if (node == nullptr) return;
  mark_ = node->mark;
  if (node->kind == YamlNode::Kind::Map) {
    take_entries(*node);
  } else if (node->kind != YamlNode::Kind::Null) {
    error(mark_, name, std::string(kind_name(*node)) + " where a map of keys belongs");
  }
}

void Section::take_entries(const YamlNode& map) {
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const YamlNode& key = *map.items[i];
    if (key.kind != YamlNode::Kind::Scalar) {
      errors_.add(key.mark, std::string(kind_name(key)) + " where a key belongs");
      continue;
    }
    const auto [first, is_new] = entries_.try_emplace(key.text, Entry{key.mark, map.items[i + 1]});
    if (is_new) continue;
    errors_.add(key.mark, quoted(key.text) + " is given twice; the first is on line " +
                              std::to_string(first->second.key.line) + ", keep one");
  }
}

std::optional<Section::Entry> Section::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return std::nullopt;
  if (entry->second.value->kind == YamlNode::Kind::Null) {
    error(entry->second.key, key, "has no value; give one, or leave the key out");
    return std::nullopt;
  }
  return entry->second;
}

Section Section::subsection(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  const auto entry = entries_.find(key);
  Section inner(entry == entries_.end() ? nullptr : entry->second.value, key, errors_);
  if (entry != entries_.end()) inner.mark_ = entry->second.key;
  return inner;
}

std::optional<std::string_view> Section::scalar(std::string_view key, std::string_view wanted) {
  const std::optional<Entry> entry = find(key);
  if (!entry) return std::nullopt;
  if (entry->value->kind == YamlNode::Kind::Scalar) return entry->value->text;
  error(entry->value->mark, key,
        std::string(kind_name(*entry->value)) + " where " + std::string(wanted) + " belongs");
  return std::nullopt;
}

std::optional<std::int64_t> Section::number_at(std::string_view key, NumberRange range) {
  const std::string wanted =
      "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
  const auto text = scalar(key, wanted);
  if (!text) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (failure == std::errc{} && rest == end && number >= range.min && number <= range.max) {
    return number;
  }
  error(entries_.at(key).value->mark, key, quoted(*text) + " is not " + wanted);
  return std::nullopt;
}

void Section::read_fractions(std::string_view key, std::vector<double>& out) {
  const std::optional<Entry> entry = find(key);
  if (!entry) return;
  if (entry->value->kind != YamlNode::Kind::List) {
    error(entry->value->mark, key,
          std::string(kind_name(*entry->value)) + " where a list of numbers belongs");
    return;
  }
  for (const YamlNode* item : entry->value->items) {
    double number = 0;
    const std::string& text = item->text;
    const char* const end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc{} || rest != end || !std::isfinite(number) || number < 0) {
      error(item->mark, key, quoted(text) + " is not a number from 0 on");
    }
    out.push_back(number);
  }
}

void Section::read_flag(std::string_view key, bool& out) {
  const auto text = scalar(key, "true or false");
  if (!text) return;
  if (*text == "true" || *text == "false") {
    out = *text == "true";
  } else {
    error(entries_.at(key).value->mark, key, quoted(*text) + " is neither true nor false");
  }
}

void Section::read_text(std::string_view key, std::string& out) {
  const auto text = scalar(key, "text");
  if (!text) return;
  const bool has_control = std::any_of(text->begin(), text->end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
  });
  if (has_control) {
    error(entries_.at(key).value->mark, key, quoted(*text) + " holds a control character");
  } else {
    out = *text;
  }
}

void Section::read_duration(std::string_view key, Duration& out, Zero zero) {
  const auto text = scalar(key, "a duration like 250ms");
  if (!text) return;
  const Mark at = entries_.at(key).value->mark;
  const auto duration = parse_duration(*text);
  if (!duration) {
    error(at, key, duration.error());
  } else if (*duration == Duration::zero() && zero == Zero::Refused) {
    error(at, key, quoted(*text) + " is not possible; it must be more than 0");
  } else {
    out = *duration;
  }
}

void Section::read_size(std::string_view key, ByteCount& out, SizeRange range) {
  const auto text = scalar(key, "a size like 8MiB");
  if (!text) return;
  const Mark at = entries_.at(key).value->mark;
  const auto size = parse_size(*text);
  if (!size) {
    error(at, key, size.error());
  } else if (*size < range.min || *size > range.max) {
    error(at, key,
          quoted(*text) + " is out of range; from " + to_text(range.min) + " to " +
              to_text(range.max) + " is possible");
  } else {
    out = *size;
  }
}

std::optional<std::size_t> Section::choice_at(std::string_view key,
                                              std::span<const std::string_view> words,
                                              std::span<const std::string_view> later) {
  const std::string known = joined(words);
  const auto text = scalar(key, "one of " + known);
  if (!text) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const Mark at = entries_.at(key).value->mark;
  if (std::find(later.begin(), later.end(), *text) != later.end()) {
    error(at, key, quoted(*text) + " is not supported yet; this version has " + known);
    return std::nullopt;
  }
  const std::string_view meant = nearest(*text, words);
  error(at, key,
        quoted(*text) + " is none of " + known +
            (meant.empty() ? "" : "; did you mean '" + std::string(meant) + "'?"));
  return std::nullopt;
}

void Section::refuse_for_now(std::string_view key) {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return;
  error(entry->second.key, key, "not supported yet; leave it out");
  entries_.erase(entry);
}

void Section::finish() {
  for (const auto& [key, entry] : entries_) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::string_view meant = nearest(key, known_);
    std::string hint = "; known here: " + joined(known_);
    if (!meant.empty()) hint = "; did you mean '" + std::string(meant) + "'?";
    if (key == "<<") hint = "; merge keys are not supported, an alias for a whole value is";
    errors_.add(entry.key, "unknown key " + quoted(key) + hint);
  }
}

Mark Section::mark_of(std::string_view key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? mark_ : entry->second.key;
}

}  // namespace mcsteady::config
