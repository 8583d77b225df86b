#include "mcsteady/config/credentials.h"

#include <gtest/gtest.h>

#include <string>

namespace mcsteady::config {
namespace {

std::string errors_in_users(std::string_view text) {
  const auto credentials = parse_credentials(text, "users");
  std::string lines;
  if (credentials) return lines;
  for (const ConfigError& error : credentials.error()) lines += error.text() + "\n";
  return lines;
}

const std::string kSha512 = "$6$saltsalt$" + std::string(86, 'a');

TEST(Credentials, UsersArePlainOrHashedAmongCommentsAndEmptyLines) {
  const auto credentials = parse_credentials(
      "# users of the cache\n\napp:se:cr$et\r\n  \nother:" + kSha512 + "\nlast:#no-comment",
      "users");

  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->users.size(), 3u);
  EXPECT_EQ(credentials->users.at("app"), (proxy::Secret{.text = "se:cr$et", .is_hash = false}));
  EXPECT_EQ(credentials->users.at("other"), (proxy::Secret{.text = kSha512, .is_hash = true}));
  EXPECT_EQ(credentials->users.at("last").text, "#no-comment");
}

TEST(Credentials, EveryHashFormHasItsLength) {
  EXPECT_EQ(errors_in_users("a:$5$s$" + std::string(43, 'x')), "");
  EXPECT_EQ(errors_in_users("a:$y$j9T$salt$" + std::string(43, 'x')), "");
  EXPECT_EQ(errors_in_users("a:$6$rounds=5000$s$" + std::string(86, 'x')), "");
  for (const std::string cut : {"$6$", "$6$salt", "$6$salt$", "$6$$", "$5$s$xx"}) {
    EXPECT_EQ(errors_in_users("a:" + cut),
              "users:1:3: the " + cut.substr(0, 3) +
                  " hash is not whole; `openssl passwd -6` and mkpasswd write such\n");
  }
  EXPECT_EQ(errors_in_users("a:$1$salt$0123456789012345678901"),
            "users:1:3: a password that begins with $ is taken for a hash, and this is none of "
            "$5$, $6$ and $y$\n");
}

TEST(Credentials, EveryErrorIsToldAtOnceWithItsLine) {
  EXPECT_EQ(
      errors_in_users("app\n:x\nuser:\na b:c\nd:e f\ng:h\ng:i\n"),
      "users:1:1: no ':' in this line; write user:password\n"
      "users:2:1: the user's name is empty; write user:password\n"
      "users:3:6: the password is empty; write user:password\n"
      "users:4:2: the user's name holds a blank or a control byte, which clients cannot send\n"
      "users:5:4: the password holds a blank or a control byte, which clients cannot send\n"
      "users:7:1: this user is on line 6 already\n");
}

TEST(Credentials, AFileWithoutAUserIsAMistake) {
  EXPECT_EQ(errors_in_users(""), "users:1:1: there is no user in the file; write user:password\n");
  EXPECT_EQ(errors_in_users("# none\n"),
            "users:1:1: there is no user in the file; write user:password\n");
}

TEST(Credentials, NamesAndPasswordsHaveALongestLength) {
  const std::string longest(250, 'x');

  EXPECT_EQ(errors_in_users(longest + ":" + longest), "");
  EXPECT_EQ(errors_in_users(longest + "x:p"),
            "users:1:1: the user's name has 251 bytes; 250 are possible\n");
  EXPECT_EQ(errors_in_users("u:" + longest + "x"),
            "users:1:3: the password has 251 bytes; 250 are possible\n");
}

TEST(Credentials, NoErrorTellsAPassword) {
  for (const std::string text : {"hunter2", "app:hunter2 x", "a:$9$hunter2", "a:$6$hunter2"}) {
    EXPECT_EQ(errors_in_users(text).find("hunter2"), std::string::npos);
  }
}

TEST(Credentials, AFileThatCannotBeReadIsAnError) {
  const auto credentials = load_credentials("/nonexistent/users");

  ASSERT_FALSE(credentials);
  EXPECT_EQ(credentials.error().at(0).text(),
            "/nonexistent/users:1:1: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace mcsteady::config
