#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcsteady/config/config.h"

namespace mcsteady::config {

/// A place in a file. Both count from 1.
struct Mark {
  int line = 1;
  int column = 1;
};

/// What is wrong in one file, gathered in whatever order the reading finds it.
class ErrorList {
 public:
  explicit ErrorList(std::string file) : file_(std::move(file)) {}

  void add(Mark at, std::string message) {
    errors_.push_back({file_, at.line, at.column, std::move(message)});
  }
  std::size_t size() const { return errors_.size(); }

  /// In the order of the file.
  std::vector<ConfigError> take() {
    std::stable_sort(errors_.begin(), errors_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    return std::move(errors_);
  }

 private:
  std::string file_;
  std::vector<ConfigError> errors_;
};

/// Text from a file, in quotes, for a message: cut when long, and without control bytes, which a
/// terminal would obey.
std::string quoted(std::string_view text);

}  // namespace mcsteady::config
