#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace mcsteady::proxy {

/// What a user must show.
struct Secret {
  std::string text;      // the password itself, or its hash as crypt(3) writes it
  bool is_hash = false;  // $5$, $6$ or $y$
  friend bool operator==(const Secret&, const Secret&) = default;
};

/// Who may come in on a listener: users by name. A value; it has been checked when it was read.
struct Credentials {
  std::map<std::string, Secret, std::less<>> users;
  friend bool operator==(const Credentials&, const Credentials&) = default;
};

/// Of a user's name, and of a password. The blank between them apart, both words of the longest
/// pair stand in one line of a file.
inline constexpr std::size_t kCredentialMax = 250;  // bytes

}  // namespace mcsteady::proxy
