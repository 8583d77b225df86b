#include "mcsteady/base/log.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace mcsteady {
namespace {

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "mcsteady-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    options_.file = folder_ + "/proxy.log";
  }
  ~LogFileTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<OutputLog> open() { return open_log(options_).value(); }
  static std::vector<std::string> lines(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  std::string folder_;
  LogOptions options_;
};

TEST_F(LogFileTest, WritesATimeALevelAnEventAndItsFacts) {
  open()->info("server is up", {{"server", "cache-1"}});

  const auto written = lines(options_.file);
  ASSERT_EQ(written.size(), 1U);
  const std::regex shape(
      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z info server is up server=cache-1)");
  EXPECT_TRUE(std::regex_match(written[0], shape)) << written[0];
}

TEST_F(LogFileTest, WritesJsonWhereThatIsAskedFor) {
  options_.format = LogOptions::Format::Json;
  open()->warn("100% {} \"late\"", {{"ms", 250}});

  const auto written = lines(options_.file);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_NE(written[0].find(R"("level":"warn","event":"100% {} \"late\"","ms":250})"),
            std::string::npos)
      << written[0];
}

TEST_F(LogFileTest, WritesWhatItsLevelLetsThrough) {
  open()->debug("hidden");
  options_.level = LogLevel::Debug;
  const auto talkative = open();
  talkative->debug("shown");

  EXPECT_TRUE(talkative->enabled(LogLevel::Debug));
  EXPECT_EQ(lines(options_.file).size(), 1U);
}

TEST_F(LogFileTest, AppendsToWhatIsThere) {
  open()->info("first");
  open()->info("second");

  EXPECT_EQ(lines(options_.file).size(), 2U);
}

TEST_F(LogFileTest, WritesToANewFileOnceItIsReopened) {
  const auto log = open();
  log->info("first");
  std::filesystem::rename(options_.file, folder_ + "/proxy.log.1");
  log->info("second");

  ASSERT_TRUE(log->reopen());
  log->info("third");

  EXPECT_EQ(lines(folder_ + "/proxy.log.1").size(), 2U);
  EXPECT_EQ(lines(options_.file).size(), 1U);
}

TEST_F(LogFileTest, KeepsTheOldFileWhereReopeningFails) {
  const auto log = open();
  std::filesystem::rename(options_.file, folder_ + "/proxy.log.1");
  std::filesystem::create_directory(options_.file);

  const auto reopened = log->reopen();
  log->info("still here");

  ASSERT_FALSE(reopened);
  EXPECT_NE(reopened.error().find(options_.file), std::string::npos);
  EXPECT_EQ(lines(folder_ + "/proxy.log.1").size(), 1U);
}

TEST_F(LogFileTest, SaysWhichFileItCannotOpen) {
  options_.file = folder_;

  const auto log = open_log(options_);

  ASSERT_FALSE(log);
  EXPECT_NE(log.error().find("cannot write the log to '" + folder_ + "'"), std::string::npos);
}

TEST_F(LogFileTest, KeepsLinesWholeWhenThreadsWriteWhileItIsReopened) {
  const auto log = open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int k = 0; k < 200; ++k) log->info("event", {{"k", k}});
    });
  }
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(log->reopen());
  for (std::thread& thread : threads) thread.join();

  const auto written = lines(options_.file);
  EXPECT_EQ(written.size(), 800U);
  for (const std::string& line : written) EXPECT_NE(line.find(" info event k="), std::string::npos);
}

TEST(Log, WritesToStandardErrorWithoutAFile) {
  testing::internal::CaptureStderr();
  const auto log = open_log({}).value();
  log->error("cannot listen");
  const std::string written = testing::internal::GetCapturedStderr();

  EXPECT_TRUE(written.ends_with(" error cannot listen\n")) << written;
  EXPECT_TRUE(log->reopen());
}

TEST(LogLevel, HasANameThatIsReadBack) {
  for (const LogLevel level :
       {LogLevel::Trace, LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error}) {
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_log_level("warning"), std::nullopt);
}

TEST_F(LogFileTest, MakesNoFolderForAFileWhosePathIsASlip) {
  options_.file = folder_ + "/slip/x.log";

  const auto log = open_log(options_);

  ASSERT_FALSE(log);
  EXPECT_NE(log.error().find("there is no folder '" + folder_ + "/slip'"), std::string::npos);
}

}  // namespace
}  // namespace mcsteady
