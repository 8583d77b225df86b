#include "base/log_line.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mcsteady {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

/// The length of the well-formed UTF-8 sequence at the front of `text`, or 0 (Unicode, table 3-7).
std::size_t utf8_length(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (lead == 0xE0) low = 0xA0;   // no overlong forms
  if (lead == 0xED) high = 0x9F;  // no surrogates
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;  // nothing past U+10FFFF
  for (std::size_t i = 1; i < length; ++i) {
    if (byte_at(text, i) < low || byte_at(text, i) > high) return 0;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

void append_escaped_character(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto code = static_cast<std::uint8_t>(c);
  if (code >= 0x20 && code != 0x7F) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kHex[code >> 4];
  out += kHex[code & 0xF];
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 1) {
      append_escaped_character(out, text.front());
    } else if (length == 0) {
      out += "\\ufffd";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

bool is_plain(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return c > 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '=';
  });
}

/// Infinity and not-a-number are no numbers in JSON.
bool is_json_number(const LogField& field) {
  if (!field.is_number) return false;
  const std::size_t digit = field.value.starts_with('-') ? 1 : 0;
  return field.value.size() > digit && field.value[digit] >= '0' && field.value[digit] <= '9';
}

}  // namespace

std::string text_line(std::string_view time, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields) {
  std::string line;
  line.append(time).append(" ").append(to_string(level)).append(" ").append(event);
  for (const LogField& field : fields) {
    line.append(" ").append(field.name).append("=");
    if (is_plain(field.value)) {
      line += field.value;
    } else {
      append_quoted(line, field.value);
    }
  }
  return line;
}

std::string json_line(std::string_view time, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields) {
  std::string line = "{\"time\":";
  append_quoted(line, time);
  line += ",\"level\":";
  append_quoted(line, to_string(level));
  line += ",\"event\":";
  append_quoted(line, event);
  for (const LogField& field : fields) {
    line += ',';
    append_quoted(line, field.name);
    line += ':';
    if (is_json_number(field)) {
      line += field.value;
    } else {
      append_quoted(line, field.value);
    }
  }
  line += '}';
  return line;
}

}  // namespace mcsteady
