#include "mcsteady/proxy/authenticator.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/manual_background.h"

namespace mcsteady::test {
namespace {

using proxy::Authenticator;
using proxy::Credentials;
using Verdict = Authenticator::Verdict;

// All of "secret".
constexpr const char* kSha256 =
    "$5$rounds=1000$saltsalt$eKLZU9t9OoPWrqOQsoTIKG0aYkZ5rGOoOQhiIvoSWX2";
constexpr const char* kSha512 =
    "$6$rounds=1000$saltsalt$LAV5VE5Y7w1d73x1mFNspYWUpazfmwv2SoepNXNKJ/otop/"
    "Zok96Hr8Q13LEv0DRY/x8v0/crpIjl8NJSAqXV/";
constexpr const char* kYescrypt = "$y$j75$saltsaltsalt$jyf/lxrpdyAIshWRo1x5DRC6KIE7sNRRtjcomR3PgHA";

Credentials plain(const std::string& user, const std::string& password) {
  return {.users = {{user, {.text = password, .is_hash = false}}}};
}
Credentials hashed(const std::string& user, const std::string& hash) {
  return {.users = {{user, {.text = hash, .is_hash = true}}}};
}

class AuthenticatorTest : public testing::Test {
 protected:
  /// Waits for the background where need be; nothing: too busy.
  std::optional<bool> accepts(Authenticator& authenticator, const std::string& user,
                              const std::string& password) {
    std::optional<bool> answer;
    const Verdict verdict =
        authenticator.check(user, password, [&](bool accepted) { answer = accepted; });
    asked_background_ = verdict == Verdict::Later;
    if (verdict == Verdict::Busy) return std::nullopt;
    if (verdict != Verdict::Later) return verdict == Verdict::Accepted;
    background_.run_one();
    return answer;
  }

  ManualBackground background_;
  bool asked_background_ = false;
};

TEST_F(AuthenticatorTest, APlainPasswordIsComparedAtOnceAndWhole) {
  Authenticator authenticator(plain("app", "secret"), background_);

  EXPECT_EQ(accepts(authenticator, "app", "secret"), true);
  for (const std::string wrong : {"", "s", "secre", "secrex", "secret1", "Secret"}) {
    EXPECT_EQ(accepts(authenticator, "app", wrong), false) << wrong;
  }
  EXPECT_EQ(accepts(authenticator, "app", "secret" + std::string(300, '\0')), false);
  EXPECT_EQ(accepts(authenticator, "other", "secret"), false);
  EXPECT_EQ(accepts(authenticator, "other", ""), false);
  EXPECT_FALSE(asked_background_);
}

TEST_F(AuthenticatorTest, LongPasswordsDifferInTheirLastByte) {
  const std::string longest(proxy::kCredentialMax - 1, 'p');
  Authenticator authenticator(plain("app", longest + "1"), background_);

  EXPECT_EQ(accepts(authenticator, "app", longest + "1"), true);
  EXPECT_EQ(accepts(authenticator, "app", longest + "2"), false);
  EXPECT_EQ(accepts(authenticator, "app", longest + "11"), false);
}

TEST_F(AuthenticatorTest, EveryFormOfHashIsComputedInTheBackground) {
  for (const char* hash : {kSha256, kSha512, kYescrypt}) {
    Authenticator authenticator(hashed("app", hash), background_);

    EXPECT_EQ(accepts(authenticator, "app", "secret"), true) << hash;
    EXPECT_TRUE(asked_background_);
    EXPECT_EQ(accepts(authenticator, "app", "secreT"), false) << hash;
    EXPECT_TRUE(asked_background_);
    EXPECT_EQ(accepts(authenticator, "app", hash), false) << hash;
  }
}

TEST_F(AuthenticatorTest, APasswordThatWasRightIsNotHashedAgain) {
  Authenticator authenticator(hashed("app", kSha256), background_);
  accepts(authenticator, "app", "secret");

  EXPECT_EQ(accepts(authenticator, "app", "secret"), true);
  EXPECT_FALSE(asked_background_);
  EXPECT_EQ(accepts(authenticator, "app", "other"), false);
  EXPECT_TRUE(asked_background_);
}

TEST_F(AuthenticatorTest, AnUnknownNameIsHashedForToo) {
  Authenticator authenticator(hashed("app", kSha256), background_);

  EXPECT_EQ(accepts(authenticator, "nobody", "secret"), false);
  EXPECT_TRUE(asked_background_);
  EXPECT_EQ(accepts(authenticator, "nobody", "secret"), false);
  EXPECT_TRUE(asked_background_);
}

TEST_F(AuthenticatorTest, NewCredentialsReplaceTheOldOnesAndWhatWasProven) {
  Authenticator authenticator(hashed("app", kSha256), background_);
  accepts(authenticator, "app", "secret");

  EXPECT_FALSE(authenticator.replace(hashed("app", kSha256)));
  EXPECT_TRUE(authenticator.replace(plain("app", "changed")));
  EXPECT_EQ(accepts(authenticator, "app", "secret"), false);
  EXPECT_EQ(accepts(authenticator, "app", "changed"), true);
}

TEST_F(AuthenticatorTest, AnAttemptUnderWayIsDecidedByTheCredentialsItMet) {
  Authenticator authenticator(hashed("app", kSha256), background_);
  std::optional<bool> answer;
  authenticator.check("app", "secret", [&](bool accepted) { answer = accepted; });
  authenticator.replace(plain("app", "changed"));
  background_.run_one();

  EXPECT_EQ(answer, true);
  EXPECT_EQ(accepts(authenticator, "app", "secret"), false);
}

TEST_F(AuthenticatorTest, WhereTheBackgroundTakesNoMoreItIsBusy) {
  Authenticator authenticator(hashed("app", kSha256), background_);
  background_.full = true;

  EXPECT_EQ(accepts(authenticator, "app", "secret"), std::nullopt);
}

}  // namespace
}  // namespace mcsteady::test
