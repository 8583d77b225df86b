#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mcsteady::config {

/// Text from a file, in quotes, for a message: cut when long, and without control bytes, which a
/// terminal would obey.
std::string quoted(std::string_view text);

/// A string that YAML reads back as it is, in quotes where plain would not do.
std::string in_yaml(const std::string& text);

/// "a, b, c".
std::string joined(std::span<const std::string_view> words);
/// The one of `known` that `word` most likely is a slip of, or an empty view.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace mcsteady::config
