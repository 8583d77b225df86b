#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "mcsteady/protocol/sasl.h"

// What must hold for the reader of SASL commands whatever bytes a stranger sends.
namespace mcsteady::protocol::binary::fuzz {

inline void check_sasl_bytes(std::string_view input) {
  using Kind = SaslRequest::Kind;
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  for (;;) {
    const SaslRequest said = parse_sasl(input);
    require(said.consumed <= input.size());
    if (said.kind == Kind::Incomplete || said.kind == Kind::Other) {
      require(said.consumed == 0);
      require(said.kind == Kind::Other || input.size() < kHeaderSize + 255 + 32 + kSaslResponseMax);
      return;
    }
    if (said.kind == Kind::Attempt) {
      require(!said.user.empty() && said.user.find('\0') == std::string_view::npos);
      require(!said.password.empty() && said.password.find('\0') == std::string_view::npos);
    }
    if (said.refusal.close) return;
    require(said.kind != Kind::Refusal || said.refusal.status != Status::Ok);
    require(said.kind == Kind::Refusal || said.refusal.swallow == 0);
    require(said.consumed >= kHeaderSize);
    // What is behind changes nothing.
    require(parse_sasl(input.substr(0, said.consumed)).kind == said.kind);
    input.remove_prefix(std::min(input.size(), said.consumed + said.refusal.swallow));
  }
}

}  // namespace mcsteady::protocol::binary::fuzz
