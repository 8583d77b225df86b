#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "mcsteady/config/config.h"

namespace mcsteady::config {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};

/// One byte more than parse_config() takes is enough to have it refuse.
constexpr std::size_t kReadMax = (std::size_t{1} << 20) + 1;

/// The error is what the system says.
Result<std::string, std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return Unexpected{std::string(std::strerror(errno))};
  std::string text(kReadMax, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return Unexpected{std::string(std::strerror(errno))};
  return text;
}

}  // namespace

Result<Config, std::vector<ConfigError>> load_config(const std::string& path) {
  const auto text = read_file(path);
  if (!text) {
    return Unexpected{std::vector{ConfigError{path, 1, 1, "cannot be read: " + text.error()}}};
  }
  return parse_config(*text, path);
}

}  // namespace mcsteady::config
