#include "mcsteady/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/log_line.h"

namespace mcsteady {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 5> kLevels{{
    {LogLevel::Trace, "trace"},
    {LogLevel::Debug, "debug"},
    {LogLevel::Info, "info"},
    {LogLevel::Warn, "warn"},
    {LogLevel::Error, "error"},
}};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::Trace:
      return spdlog::level::trace;
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warn:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// Now, in UTC, as RFC 3339 has it, with microseconds.
std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto fraction = now - std::chrono::system_clock::from_time_t(seconds);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(fraction).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string digits = std::to_string(1000000 + micros);  // keeps the leading zeros
  return text.data() + ("." + digits.substr(1)) + "Z";
}

using SinkResult = Result<spdlog::sink_ptr, std::string>;

SinkResult open_sink(const std::string& file) {
  if (file.empty()) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  // spdlog would make a folder that is missing, and nobody would find what a slip in a path has
  // hidden.
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return Unexpected{"cannot write the log to '" + file + "': there is no folder '" +
                      folder.string() + "'"};
  }
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  } catch (const spdlog::spdlog_ex& failure) {
    return Unexpected{"cannot write the log to '" + file + "': " + failure.what()};
  }
}

/// spdlog writes the lines, we compose them. Its sink sits in a distributor, which can change sinks
/// while others write.
class SpdlogOutput final : public OutputLog {
 public:
  SpdlogOutput(const LogOptions& options, spdlog::sink_ptr sink)
      : options_(options),
        distributor_(std::make_shared<spdlog::sinks::dist_sink_mt>()),
        logger_("mcsteady", distributor_) {
    use(std::move(sink));
    logger_.set_level(level_of(options.level));
    logger_.flush_on(spdlog::level::trace);  // events are rare, and wanted most after a crash
  }

  bool enabled(LogLevel level) const override { return logger_.should_log(level_of(level)); }

  void write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) override {
    const bool json = options_.format == LogOptions::Format::Json;
    const std::string line = json ? json_line(timestamp(), level, event, fields)
                                  : text_line(timestamp(), level, event, fields);
    logger_.log(level_of(level), spdlog::string_view_t(line));
  }

  Result<void, std::string> reopen() override {
    if (options_.file.empty()) return {};
    SinkResult sink = open_sink(options_.file);
    if (!sink) return Unexpected{std::move(sink.error())};
    use(std::move(*sink));
    return {};
  }

 private:
  void use(spdlog::sink_ptr sink) {
    sink->set_pattern("%v");
    distributor_->set_sinks({std::move(sink)});
  }

  const LogOptions options_;
  std::shared_ptr<spdlog::sinks::dist_sink_mt> distributor_;
  spdlog::logger logger_;
};

}  // namespace

Result<std::unique_ptr<OutputLog>, std::string> open_log(const LogOptions& options) {
  SinkResult sink = open_sink(options.file);
  if (!sink) return Unexpected{std::move(sink.error())};
  return std::make_unique<SpdlogOutput>(options, std::move(*sink));
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (const auto& [level, text] : kLevels) {
    if (text == name) return level;
  }
  return std::nullopt;
}

std::string_view to_string(LogLevel level) {
  for (const auto& [each, text] : kLevels) {
    if (each == level) return text;
  }
  return "unknown";
}

}  // namespace mcsteady
