#pragma once

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/base/log.h"

namespace mcsteady::test {

/// A log that keeps its events for the test to look at. Threads: any.
class CaptureLog final : public Log {
 public:
  struct Event {
    LogLevel level = LogLevel::Info;
    std::string event;
    std::vector<std::pair<std::string, std::string>> fields;

    std::optional<std::string> field(std::string_view name) const {
      for (const auto& [key, value] : fields) {
        if (key == name) return value;
      }
      return std::nullopt;
    }
    /// As a line for failure messages: `server is down cause=refused`.
    std::string text() const {
      std::string line = event;
      for (const auto& [key, value] : fields)
        line.append(" ").append(key).append("=").append(value);
      return line;
    }
  };

  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) override {
    Event kept{.level = level, .event = std::string(event), .fields = {}};
    for (const LogField& field : fields) kept.fields.emplace_back(field.name, field.value);
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(kept));
  }

  std::vector<Event> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  std::size_t count(std::string_view event) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count_if(events_, [event](const Event& kept) { return kept.event == event; }));
  }
  /// The newest event of that name.
  std::optional<Event> last(std::string_view event) const {
    const std::lock_guard lock(mutex_);
    for (auto kept = events_.rbegin(); kept != events_.rend(); ++kept) {
      if (kept->event == event) return *kept;
    }
    return std::nullopt;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    events_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

}  // namespace mcsteady::test
