#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcsteady/base/result.h"

namespace mcsteady {

enum class LogLevel { Trace, Debug, Info, Warn, Error };

/// One named fact of an event. A field renders as name=value in text and as a member in JSON.
struct LogField {
  std::string_view name;
  std::string value;
  bool is_number = false;  // JSON: written bare

  LogField(std::string_view field, std::string text) : name(field), value(std::move(text)) {}
  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(text) {}
  template <class Number>
    requires std::is_arithmetic_v<Number>
  LogField(std::string_view field, Number number)
      : name(field), value(std::to_string(number)), is_number(true) {}
};

/// Where events are told to the people who run us. Thread-safe. `event` is a short fixed phrase
/// ("server is down") that can be searched for; what varies goes into fields.
class Log {
 public:
  virtual ~Log() = default;
  virtual bool enabled(LogLevel level) const = 0;
  virtual void write(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) = 0;

  void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    if (enabled(LogLevel::Info)) write(LogLevel::Info, event, fields);
  }
  void warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
    if (enabled(LogLevel::Warn)) write(LogLevel::Warn, event, fields);
  }
  void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
    if (enabled(LogLevel::Error)) write(LogLevel::Error, event, fields);
  }
  void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
    if (enabled(LogLevel::Debug)) write(LogLevel::Debug, event, fields);
  }
};

struct LogOptions {
  enum class Format { Text, Json };
  LogLevel level = LogLevel::Info;
  Format format = Format::Text;
  std::string file;  // empty: standard error
};

/// A log on standard error or in a file that can be opened again after it was rotated.
class OutputLog : public Log {
 public:
  /// Closes and opens the file under its name again (SIGHUP). Keeps the old one, and returns why,
  /// if that fails. No effect on standard error.
  virtual Result<void, std::string> reopen() = 0;
};

/// Fails with a sentence when the file cannot be opened for appending.
Result<std::unique_ptr<OutputLog>, std::string> open_log(const LogOptions& options);

std::optional<LogLevel> parse_log_level(std::string_view name);
std::string_view to_string(LogLevel level);

}  // namespace mcsteady
