#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mcsteady::admin {

/// The text of a reply to `stats`, a line at a time. Source: memcached doc/protocol.txt,
/// "Statistics".
class StatLines {
 public:
  template <class Value>
  void add(std::string_view name, const Value& value) {
    text_ += "STAT ";
    text_ += name;
    text_ += ' ';
    if constexpr (std::is_arithmetic_v<Value>) {
      text_ += std::to_string(value);
    } else {
      text_ += value;
    }
    text_ += "\r\n";
  }
  std::string end() { return std::move(text_) + "END\r\n"; }

 private:
  std::string text_;
};

}  // namespace mcsteady::admin
