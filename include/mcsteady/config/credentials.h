#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/base/result.h"
#include "mcsteady/config/config.h"
#include "mcsteady/proxy/credentials.h"

namespace mcsteady::config {

/// Reads a file of users: `user:password` a line, in which the password may be a hash as crypt(3)
/// writes it ($5$, $6$ or $y$; `openssl passwd -6` makes one). Empty lines and lines that begin
/// with # are skipped. A user's name and a password are 1 to 250 bytes without blanks and control
/// bytes, the name without ':'. Every error at once; none quotes what may be a password.
/// `file` is for messages only.
Result<proxy::Credentials, std::vector<ConfigError>> parse_credentials(std::string_view text,
                                                                       const std::string& file);

/// The same from a file; one that cannot be read is an error at 1:1.
Result<proxy::Credentials, std::vector<ConfigError>> load_credentials(const std::string& path);

}  // namespace mcsteady::config
