#include "mcsteady/proxy/authenticator.h"

#include <crypt.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

namespace mcsteady::proxy {
namespace {

/// In a time that depends on neither, whatever their lengths: both are padded to one length.
bool is_same(std::string_view one, std::string_view other) {
  std::array<unsigned char, kCredentialMax> left{};
  std::array<unsigned char, kCredentialMax> right{};
  std::ranges::copy(one.substr(0, left.size()), left.begin());
  std::ranges::copy(other.substr(0, right.size()), right.begin());
  volatile unsigned char difference = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (left[i] ^ right[i]));
  }
  return difference == 0;
}

void wipe(std::string& text) {
  explicit_bzero(text.data(), text.size());
}

bool matches_hash(const std::string& password, const std::string& hash) {
  const auto work = std::make_unique<crypt_data>();
  const char* const result = crypt_r(password.c_str(), hash.c_str(), work.get());
  const bool same = result != nullptr && is_same(result, hash);
  explicit_bzero(work.get(), sizeof *work);
  return same;
}

}  // namespace

struct Authenticator::Generation {
  explicit Generation(Credentials known) : credentials(std::move(known)) {
    for (const auto& [name, secret] : credentials.users) {
      if (secret.is_hash) decoy = secret.text;
    }
  }
  ~Generation() {
    for (auto& [name, secret] : credentials.users) wipe(secret.text);
    for (auto& [name, password] : proven) wipe(password);
  }
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  bool is_proven(const std::string& user, std::string_view password) {
    const std::lock_guard lock(mutex);
    const auto known = proven.find(user);
    return known != proven.end() && is_same(password, known->second);
  }
  void remember(const std::string& user, const std::string& password) {
    const std::lock_guard lock(mutex);
    proven[user] = password;
  }

  Credentials credentials;
  std::string decoy;  // hashed against for names that do not exist; empty: there are no hashes
  std::mutex mutex;   // of `proven`
  std::map<std::string, std::string> proven;  // passwords by user, as long as the hashes stand
};

Authenticator::Authenticator(Credentials credentials, Background& background)
    : background_(background), generation_(std::make_shared<Generation>(std::move(credentials))) {}

Authenticator::~Authenticator() = default;

std::shared_ptr<Authenticator::Generation> Authenticator::current() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

bool Authenticator::replace(Credentials credentials) {
  if (credentials == current()->credentials) return false;
  auto next = std::make_shared<Generation>(std::move(credentials));
  const std::lock_guard lock(mutex_);
  generation_ = std::move(next);
  return true;
}

Authenticator::Verdict Authenticator::check(std::string_view user, std::string_view password,
                                            Decided decided) {
  const std::shared_ptr<Generation> generation = current();
  const auto& users = generation->credentials.users;
  const auto found = users.find(user);
  const bool exists = found != users.end();
  if (exists ? !found->second.is_hash : generation->decoy.empty()) {
    const bool same = is_same(password, exists ? found->second.text : std::string());
    return same && exists ? Verdict::Accepted : Verdict::Refused;
  }
  std::string name(user);
  if (exists && generation->is_proven(name, password)) return Verdict::Accepted;
  std::string hash = exists ? found->second.text : generation->decoy;
  const bool taken =
      background_.submit([generation, exists, name = std::move(name), given = std::string(password),
                          hash = std::move(hash), decided = std::move(decided)]() mutable {
        const bool accepted = matches_hash(given, hash) && exists;
        if (accepted) generation->remember(name, given);
        wipe(given);
        decided(accepted);
      });
  return taken ? Verdict::Later : Verdict::Busy;
}

}  // namespace mcsteady::proxy
