#pragma once

#include <cstdlib>
#include <string_view>

#include "mcsteady/protocol/reply.h"

// What must hold for the reply parser whatever bytes a server sends. Aborts where it does not.
namespace mcsteady::protocol::fuzz {

inline void check_reply_line(std::string_view input, ReplyShape shape) {
  const auto require_reply = [](bool holds) {
    if (!holds) std::abort();
  };
  const auto result = parse_reply_line(input, shape);
  if (!result.has_value()) return;
  if (!result->has_value()) {
    require_reply(input.size() < kReplyLineMax && input.find('\n') == std::string_view::npos);
    return;
  }
  const ReplyLine& line = **result;
  require_reply(line.line.data() == input.data() && line.line.size() <= kReplyLineMax);
  require_reply(line.line.find('\n') == line.line.size() - 1 && line.line.ends_with("\r\n"));
  require_reply(line.last == (line.code != ReplyCode::Value));
  require_reply(line.value_size.has_value() ==
                (line.code == ReplyCode::Value || line.code == ReplyCode::MetaValue));
  require_reply(!line.value_size || *line.value_size < (std::size_t{1} << 31));
  require_reply(line.key.empty() || line.code == ReplyCode::Value);
  for (std::size_t cut = line.line.size() - 1; cut > 0; cut /= 2) {
    const auto shorter = parse_reply_line(input.substr(0, cut), shape);
    require_reply(shorter.has_value() && !shorter->has_value());
  }
}

/// Reads the bytes as a reply of each shape.
inline void check_reply_bytes(std::string_view input) {
  for (const ReplyShape shape : {ReplyShape::Items, ReplyShape::Line, ReplyShape::Meta}) {
    check_reply_line(input, shape);
  }
}

}  // namespace mcsteady::protocol::fuzz
