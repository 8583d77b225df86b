#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/config_check.h"
#include "fuzz/credentials_check.h"
#include "support/source_dir.h"

namespace mcsteady::config {
namespace {

TEST(ConfigCorpus, HoldsInEveryBuildWhatTheFuzzerChecks) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_dir() + "/tests/fuzz/corpus/config")) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string yaml{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t size = 0; size <= yaml.size(); ++size) {
      fuzz::check_config_bytes(std::string_view(yaml).substr(0, size));
      if (yaml.size() > 1000) size += 97;  // the long ones at some cuts only
    }
    fuzz::check_config_bytes(yaml);
    ++files;
  }

  EXPECT_GE(files, 8u);
}

TEST(CredentialsCorpus, HoldsInEveryBuildWhatTheFuzzerChecks) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_dir() + "/tests/fuzz/corpus/credentials")) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t size = 0; size <= text.size(); ++size) {
      fuzz::check_credentials_bytes(std::string_view(text).substr(0, size));
    }
    ++files;
  }

  EXPECT_GE(files, 5u);
}

}  // namespace
}  // namespace mcsteady::config
