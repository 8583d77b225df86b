#include "mcsteady/config/credentials.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "config/error_list.h"
#include "config/read_file.h"

namespace mcsteady::config {
namespace {

using proxy::kCredentialMax;
using proxy::Secret;

/// A form of crypt(3), and how many characters its last part has.
struct HashForm {
  std::string_view prefix;
  std::size_t digest;
};
constexpr std::array<HashForm, 3> kHashForms = {{{"$5$", 43}, {"$6$", 86}, {"$y$", 43}}};

bool is_base64(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '/';
  });
}

/// $id$salt$digest, or $id$parameters$salt$digest.
bool is_whole_hash(std::string_view hash, const HashForm& form) {
  const std::size_t last = hash.rfind('$');
  const bool has_salt = last > form.prefix.size();
  return has_salt && hash.size() - last - 1 == form.digest && is_base64(hash.substr(last + 1));
}

/// Column 0: nothing is wrong.
struct Fault {
  std::size_t column = 0;
  std::string message;
};

Fault fault_of_word(std::string_view word, std::string_view what, std::size_t column) {
  const std::string name(what);
  if (word.empty()) return {column, "the " + name + " is empty; write user:password"};
  const auto bad = std::ranges::find_if(
      word, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; });
  if (bad != word.end()) {
    return {column + static_cast<std::size_t>(bad - word.begin()),
            "the " + name + " holds a blank or a control byte, which clients cannot send"};
  }
  if (word.size() > kCredentialMax) {
    return {column, "the " + name + " has " + std::to_string(word.size()) + " bytes; " +
                        std::to_string(kCredentialMax) + " are possible"};
  }
  return {};
}

Fault fault_of_hash(std::string_view hash, std::size_t column) {
  const auto form = std::ranges::find_if(
      kHashForms, [&](const HashForm& known) { return hash.starts_with(known.prefix); });
  if (form == kHashForms.end()) {
    return {column,
            "a password that begins with $ is taken for a hash, and this is none of $5$, "
            "$6$ and $y$"};
  }
  if (!is_whole_hash(hash, *form)) {
    return {column, "the " + std::string(form->prefix) +
                        " hash is not whole; `openssl passwd -6` and mkpasswd write such"};
  }
  return {};
}

/// One line that is neither empty nor a comment.
Fault read_line(std::string_view line, std::string& user, Secret& secret) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {1, "no ':' in this line; write user:password"};
  const std::string_view name = line.substr(0, colon);
  const std::string_view password = line.substr(colon + 1);
  const std::size_t behind = colon + 2;
  if (Fault fault = fault_of_word(name, "user's name", 1); fault.column != 0) return fault;
  if (Fault fault = fault_of_word(password, "password", behind); fault.column != 0) return fault;
  user = name;
  secret = {.text = std::string(password), .is_hash = password.starts_with('$')};
  return secret.is_hash ? fault_of_hash(password, behind) : Fault{};
}

}  // namespace

Result<proxy::Credentials, std::vector<ConfigError>> parse_credentials(std::string_view text,
                                                                       const std::string& file) {
  proxy::Credentials credentials;
  ErrorList errors(file);
  if (text.size() > kFileMax) errors.add({}, "the file has more than 1MiB");
  std::map<std::string, int> first_lines;
  for (int number = 1; !text.empty() && errors.size() < 100; ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line.front() == '#') continue;
    std::string user;
    Secret secret;
    if (const Fault fault = read_line(line, user, secret); fault.column != 0) {
      errors.add({number, static_cast<int>(fault.column)}, fault.message);
    } else if (const auto [first, is_new] = first_lines.try_emplace(user, number); !is_new) {
      errors.add({number, 1}, "this user is on line " + std::to_string(first->second) + " already");
    } else {
      credentials.users.emplace(user, std::move(secret));
    }
  }
  if (errors.size() == 0 && credentials.users.empty()) {
    errors.add({}, "there is no user in the file; write user:password");
  }
  if (errors.size() != 0) return Unexpected{errors.take()};
  return credentials;
}

Result<proxy::Credentials, std::vector<ConfigError>> load_credentials(const std::string& path) {
  const auto text = read_file(path);
  if (!text) {
    return Unexpected{std::vector{ConfigError{path, 1, 1, "cannot be read: " + text.error()}}};
  }
  return parse_credentials(*text, path);
}

}  // namespace mcsteady::config
