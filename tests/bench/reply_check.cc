#include "bench/reply_check.h"

#include <algorithm>

#include "bench/sockets.h"

namespace mcsteady::bench {
namespace {

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

}  // namespace

bool ReplyCheck::take_operation(std::string_view& input) {
  while (!input.empty()) {
    if (body_left_ > 0) {
      take_value(input);
      if (body_left_ == 0 && value_ends_operation_) return end_operation();
      continue;
    }
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) {
      cut_line_ += input;
      input = {};
      return false;
    }
    std::string_view line = input.substr(0, end + 1);
    input.remove_prefix(end + 1);
    if (!cut_line_.empty()) line = cut_line_ += line;
    if (!line.ends_with("\r\n")) fail_at("a line without CR", line);
    const bool ended = take_line(line.substr(0, line.size() - 2));
    cut_line_.clear();
    if (ended) return end_operation();
  }
  return false;
}

/// True where the line ends the operation.
bool ReplyCheck::take_line(std::string_view line) {
  std::string_view rest = line;
  const std::string_view code = take_word(rest);
  if (code == "VALUE") {
    const std::string_view key = take_word(rest);
    take_word(rest);  // flags
    value_ends_operation_ = false;
    begin_value(key, take_word(rest));
    return false;
  }
  if (code == "VA") {
    const std::string_view size = take_word(rest);
    value_ends_operation_ = items_.options().keys_per_get == 1;
    if (!rest.starts_with('k')) fail_at("a value without its key", line);
    begin_value(rest.substr(1), size);
    return false;
  }
  if (code == "STORED" || code == "HD") {
    values_seen_ = items_.options().keys_per_get;
    return true;
  }
  if (code == "END" || code == "EN" || code == "MN") return true;
  if (counts_.errors++ == 0) counts_.first_error = line;
  return true;
}

void ReplyCheck::begin_value(std::string_view key, std::string_view size) {
  const auto number = items_.key_number(key);
  if (!number) fail_at("a key that nobody asked for", key);
  if (size != std::to_string(items_.options().value_size)) fail_at("a wrong length", size);
  body_key_ = *number;
  body_left_ = items_.options().value_size + 2;
  comparing_ = counts_.values++ % compare_every_ == 0;
  if (comparing_) ++counts_.values_compared;
  ++values_seen_;
}

void ReplyCheck::take_value(std::string_view& input) {
  const std::string_view value = items_.value(body_key_);
  const std::size_t position = value.size() + 2 - body_left_;
  const std::string_view here = input.substr(0, body_left_);
  const std::size_t of_value =
      position < value.size() ? std::min(here.size(), value.size() - position) : 0;
  if (comparing_ && here.substr(0, of_value) != value.substr(position, of_value)) {
    fail_at("a wrong value", std::to_string(body_key_));
  }
  const std::string_view end = here.substr(of_value);
  const std::size_t end_position =
      position + of_value - value.size();  // used where `end` is not empty
  if (!end.empty() && std::string_view("\r\n").substr(end_position, end.size()) != end) {
    fail_at("a value of the wrong length", std::to_string(body_key_));
  }
  body_left_ -= here.size();
  input.remove_prefix(here.size());
}

bool ReplyCheck::end_operation() {
  counts_.misses +=
      items_.options().keys_per_get - std::min(values_seen_, items_.options().keys_per_get);
  values_seen_ = 0;
  return true;
}

void ReplyCheck::fail_at(std::string_view what, std::string_view line) const {
  fail("the reply holds " + std::string(what) + ": " + std::string(line.substr(0, 200)));
}

}  // namespace mcsteady::bench
