#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/binary_request_check.h"
#include "fuzz/binary_translator_check.h"
#include "fuzz/introduction_check.h"
#include "fuzz/reply_check.h"
#include "fuzz/request_check.h"
#include "fuzz/sasl_check.h"
#include "support/source_dir.h"

// Replays what the fuzzers start from and have found, in every build. A broken rule aborts.
namespace mcsteady::protocol {
namespace {

template <class Check>
std::size_t replay(const std::string& name, Check check) {
  std::size_t count = 0;
  const std::filesystem::path folder = test::source_dir() + "/tests/fuzz/corpus/" + name;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    check(bytes);
    ++count;
  }
  return count;
}

TEST(Corpus, RequestsKeepTheParsersPromises) {
  EXPECT_GE(replay("request_parser", fuzz::check_request_bytes), 10U);
}

TEST(Corpus, IntroductionsKeepTheParsersPromises) {
  EXPECT_GE(replay("introduction", fuzz::check_introduction_bytes), 8U);
}

TEST(Corpus, SaslKeepsTheParsersPromises) {
  EXPECT_GE(replay("sasl", binary::fuzz::check_sasl_bytes), 10U);
}

TEST(Corpus, RepliesKeepTheParsersPromises) {
  EXPECT_GE(replay("reply_parser", fuzz::check_reply_bytes), 10U);
}

TEST(Corpus, BinaryRequestsKeepTheirParsersPromises) {
  EXPECT_GE(replay("binary_request", binary::fuzz::check_request_bytes), 10U);
}

TEST(Corpus, BinaryRepliesAreWellFormed) {
  EXPECT_GE(replay("binary_translator", binary::fuzz::check_translator_bytes), 10U);
}

}  // namespace
}  // namespace mcsteady::protocol
