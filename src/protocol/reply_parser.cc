#include <algorithm>
#include <cstring>
#include <limits>

#include "mcsteady/protocol/reply.h"
#include "protocol/words.h"

namespace mcsteady::protocol {
namespace {

using LineResult = Result<std::optional<ReplyLine>, ReplyError>;

// A server's item is under 1 GiB and its length a signed 32-bit number. More is no length.
constexpr std::size_t kValueMax = std::numeric_limits<std::int32_t>::max();

struct CodeName {
  std::string_view name;
  ReplyCode code;
};

constexpr CodeName kErrors[] = {
    // "ERROR: shutdown not enabled" is one word more than the others say.
    {"ERROR", ReplyCode::Error},
    {"ERROR:", ReplyCode::Error},
    {"CLIENT_ERROR", ReplyCode::ClientError},
    {"SERVER_ERROR", ReplyCode::ServerError},
};
constexpr CodeName kLineCodes[] = {
    {"STORED", ReplyCode::Stored},
    {"DELETED", ReplyCode::Deleted},
    {"NOT_FOUND", ReplyCode::NotFound},
    {"NOT_STORED", ReplyCode::NotStored},
    {"TOUCHED", ReplyCode::Touched},
    {"EXISTS", ReplyCode::Exists},
    {"OK", ReplyCode::Ok},
    {"VERSION", ReplyCode::Version},
};
// What belongs to another shape. Among one-line replies it says that we are out of step.
constexpr std::string_view kForeignToLine[] = {"VALUE", "END", "STAT", "VA", "HD", "EN",
                                               "NF",    "NS",  "EX",   "MN", "ME"};

ReplyCode error_code(std::string_view word) {
  for (const CodeName& error : kErrors) {
    if (word == error.name) return error.code;
  }
  return ReplyCode::Other;
}

LineResult one_line(ReplyLine line, ReplyCode code) {
  line.code = code;
  return std::optional{line};
}

/// VALUE <key> <flags> <bytes> [<cas unique>]
LineResult parse_value(ReplyLine line, Words words) {
  line.code = ReplyCode::Value;
  line.key = words.next();
  const std::string_view flags = words.next();
  line.value_size = parse_unsigned<std::size_t>(words.next());
  const std::string_view unique = words.next();
  if (!line.value_size || *line.value_size > kValueMax) return Unexpected{ReplyError::BadNumber};
  if (!parse_unsigned<std::uint64_t>(flags)) return Unexpected{ReplyError::BadNumber};
  if (!unique.empty() && !parse_unsigned<std::uint64_t>(unique)) {
    return Unexpected{ReplyError::BadNumber};
  }
  if (!words.next().empty()) return Unexpected{ReplyError::Unexpected};
  line.last = false;
  return std::optional{line};
}

LineResult parse_items_line(const ReplyLine& line, std::string_view text) {
  Words words(text);
  const std::string_view word = words.next();
  if (word == "VALUE") return parse_value(line, words);
  if (text == "END") return one_line(line, ReplyCode::End);
  const ReplyCode code = error_code(word);
  if (code == ReplyCode::Other) return Unexpected{ReplyError::Unexpected};
  return one_line(line, code);
}

/// The new number of an incr or decr. decr pads it with blanks to the length the value had.
LineResult parse_number(const ReplyLine& line, std::string_view text) {
  Words words(text);
  const bool good = parse_unsigned<std::uint64_t>(words.next()) && words.next().empty();
  if (!good) return Unexpected{ReplyError::BadNumber};
  return one_line(line, ReplyCode::Number);
}

LineResult parse_single_line(const ReplyLine& line, std::string_view text) {
  if (text.empty()) return Unexpected{ReplyError::Unexpected};
  if (text.front() >= '0' && text.front() <= '9') return parse_number(line, text);
  const std::string_view word = Words(text).next();
  for (const CodeName& known : kLineCodes) {
    if (word == known.name) return one_line(line, known.code);
  }
  const ReplyCode code = error_code(word);
  if (code != ReplyCode::Other) return one_line(line, code);
  const bool foreign = std::find(std::begin(kForeignToLine), std::end(kForeignToLine), word) !=
                       std::end(kForeignToLine);
  const bool is_text = text.front() >= 'A' && text.front() <= 'Z';
  if (foreign || !is_text) return Unexpected{ReplyError::Unexpected};
  return one_line(line, ReplyCode::Other);
}

ReplyCode meta_code(std::string_view word) {
  if (word.size() != 2) return error_code(word);
  switch (word[0] << 8 | word[1]) {
    case 'V' << 8 | 'A':
      return ReplyCode::MetaValue;
    case 'H' << 8 | 'D':
      return ReplyCode::MetaHeader;
    case 'E' << 8 | 'N':
      return ReplyCode::MetaMiss;
    case 'N' << 8 | 'F':
      return ReplyCode::MetaNotFound;
    case 'N' << 8 | 'S':
      return ReplyCode::MetaNotStored;
    case 'E' << 8 | 'X':
      return ReplyCode::MetaExists;
    case 'M' << 8 | 'E':
      return ReplyCode::MetaDebug;
    case 'M' << 8 | 'N':
      return ReplyCode::MetaNoop;
    case 'O' << 8 | 'K':  // HD's name before memcached 1.6.10
      return ReplyCode::Ok;
    default:
      return ReplyCode::Other;
  }
}

LineResult parse_meta_line(ReplyLine line, std::string_view text) {
  Words words(text);
  line.code = meta_code(words.next());
  if (line.code == ReplyCode::Other) return Unexpected{ReplyError::Unexpected};
  if (line.code == ReplyCode::MetaValue) {
    line.value_size = parse_unsigned<std::size_t>(words.next());
    if (!line.value_size || *line.value_size > kValueMax) {
      return Unexpected{ReplyError::BadNumber};
    }
  }
  return std::optional{line};
}

}  // namespace

LineResult parse_reply_line(std::string_view input, ReplyShape shape) {
  const std::size_t reach = std::min(input.size(), kReplyLineMax);
  const void* const found = reach == 0 ? nullptr : std::memchr(input.data(), '\n', reach);
  if (found == nullptr) {
    if (input.size() >= kReplyLineMax) return Unexpected{ReplyError::LineTooLong};
    return std::optional<ReplyLine>{};
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - input.data()) + 1;
  // Servers end every line with CRLF: a bare newline is the inside of a value.
  if (length < 2 || input[length - 2] != '\r') return Unexpected{ReplyError::Unexpected};

  // No server pads a line, and words are read without the blanks before them.
  if (input.front() == ' ') return Unexpected{ReplyError::Unexpected};

  ReplyLine line;
  line.line = input.substr(0, length);
  const std::string_view text = input.substr(0, length - 2);
  switch (shape) {
    case ReplyShape::Items:
      return parse_items_line(line, text);
    case ReplyShape::Line:
      return parse_single_line(line, text);
    case ReplyShape::Meta:
      return parse_meta_line(line, text);
  }
  return Unexpected{ReplyError::Unexpected};
}

ReplyShape reply_shape(Verb verb) {
  if (is_classic_retrieval(verb)) return ReplyShape::Items;
  return is_meta(verb) ? ReplyShape::Meta : ReplyShape::Line;
}

const char* to_string(ReplyError error) {
  switch (error) {
    case ReplyError::LineTooLong:
      return "reply line too long";
    case ReplyError::Unexpected:
      return "unexpected reply line";
    case ReplyError::BadNumber:
      return "bad number in reply line";
  }
  return "unknown";
}

}  // namespace mcsteady::protocol
