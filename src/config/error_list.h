#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/mark.h"
#include "mcsteady/config/config.h"

namespace mcsteady::config {

/// What is wrong in one file, gathered in whatever order the reading finds it.
class ErrorList {
 public:
  explicit ErrorList(std::string file) : file_(std::move(file)) {}

  void add(Mark at, std::string message) {
    messages_.emplace(std::pair(at.line, at.column), std::move(message));
  }
  std::size_t size() const { return messages_.size(); }

  /// In the order of the file.
  std::vector<ConfigError> take() {
    std::vector<ConfigError> errors;
    errors.reserve(messages_.size());
    for (auto& [at, message] : messages_) {
      errors.push_back({file_, at.first, at.second, std::move(message)});
    }
    return errors;
  }

 private:
  std::string file_;
  std::multimap<std::pair<int, int>, std::string> messages_;
};

}  // namespace mcsteady::config
