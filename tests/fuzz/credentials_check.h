#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "mcsteady/config/credentials.h"

// What must hold for the reader of credentials whatever a file holds.
namespace mcsteady::config::fuzz {

inline void check_credentials_bytes(std::string_view text) {
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  const auto credentials = parse_credentials(text, "f");
  if (!credentials) {
    require(!credentials.error().empty());
    for (const ConfigError& error : credentials.error()) {
      require(error.line >= 1 && error.column >= 1 && !error.message.empty());
    }
    return;
  }
  require(!credentials->users.empty());
  for (const auto& [user, secret] : credentials->users) {
    require(!user.empty() && user.size() <= proxy::kCredentialMax);
    require(!secret.text.empty() && secret.text.size() <= proxy::kCredentialMax);
    require(secret.is_hash == secret.text.starts_with('$'));
    require(user.find_first_of(": \r\n") == std::string::npos);
    require(secret.text.find_first_of(" \r\n") == std::string::npos);
  }
}

}  // namespace mcsteady::config::fuzz
