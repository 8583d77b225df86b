#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "mcsteady/proxy/background.h"
#include "mcsteady/proxy/credentials.h"

namespace mcsteady::proxy {

/// Says whether a name and a password belong together. Every front of a listener asks the same one,
/// so that none lets in whom another keeps out.
///
/// How long it takes tells nothing of how near a guess was, nor whether a name exists: passwords
/// are compared in constant time, and where hashes are in use an unknown name is hashed for, too.
/// A hash is computed in the background, one at a time, so that a flood of guesses costs one thread
/// and no event loop. A password that was found right is remembered until the credentials change: a
/// client that connects for every request is not to pay for a hash each time.
///
/// Threads: any.
class Authenticator {
 public:
  enum class Verdict {
    Accepted,
    Refused,
    Later,  // `decided` will be called
    Busy,   // too many are being decided; ask again
  };
  using Decided = std::function<void(bool accepted)>;

  /// `background` must have come to rest before this is destroyed.
  Authenticator(Credentials credentials, Background& background);
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// For everybody who asks from now on; clients that are in stay in. False: nothing has changed.
  bool replace(Credentials credentials);
  /// `decided` is called only after Later, and from the background's thread.
  Verdict check(std::string_view user, std::string_view password, Decided decided);

 private:
  /// Replaced as a whole. Shared, because a hash may still be under way for an older one.
  struct Generation;

  std::shared_ptr<Generation> current() const;

  Background& background_;
  mutable std::mutex mutex_;
  std::shared_ptr<Generation> generation_;
};

}  // namespace mcsteady::proxy
