#pragma once

#include <cstdlib>
#include <string_view>

#include "mcsteady/protocol/authentication.h"

// What must hold for the parser of authentication whatever bytes a stranger sends.
namespace mcsteady::protocol::fuzz {

inline void check_introduction_bytes(std::string_view input) {
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  for (;;) {
    const Introduction said = parse_introduction(input);
    require(said.consumed <= input.size());
    if (said.kind == Introduction::Kind::Incomplete) {
      require(input.size() <= kIntroductionLineMax || input.find('\n') != std::string_view::npos);
      require(input.size() < input.find('\n') + 1 + kIntroductionBodyMax);
    }
    if (said.kind == Introduction::Kind::Incomplete || said.kind == Introduction::Kind::HangUp) {
      require(said.consumed == 0);
      return;
    }
    require(said.consumed > 0);
    const bool is_attempt = said.kind == Introduction::Kind::Attempt;
    require(is_attempt == !said.password.empty() && is_attempt == !said.user.empty());
    require(is_attempt ? said.reply.empty() : said.reply.ends_with("\r\n"));
    require(said.user.find(' ') == std::string_view::npos);
    // What is behind changes nothing; only a lone line feed is waited behind.
    require(said.consumed == 1 ||
            parse_introduction(input.substr(0, said.consumed)).kind == said.kind);
    input.remove_prefix(said.consumed);
  }
}

}  // namespace mcsteady::protocol::fuzz
