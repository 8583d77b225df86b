#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/read_file.h"
#include "mcsteady/config/config.h"
#include "mcsteady/config/credentials.h"

namespace mcsteady::config {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};

/// Reads the files that listeners name, each once.
std::vector<ConfigError> load_all_credentials(Config& config) {
  std::vector<ConfigError> errors;
  for (const proxy::ListenerOptions& listener : config.worker.listeners) {
    const std::string& path = listener.auth_file;
    if (path.empty() || config.credentials.contains(path)) continue;
    auto credentials = load_credentials(path);
    if (credentials) {
      config.credentials.emplace(path, std::move(*credentials));
    } else {
      config.credentials.emplace(path, proxy::Credentials{});
      errors.insert(errors.end(), credentials.error().begin(), credentials.error().end());
    }
  }
  return errors;
}

/// Reads certificates and keys. What is wrong with one is wrong where the file names it.
std::vector<ConfigError> load_all_tls(const Config& config, const std::string& file) {
  std::vector<ConfigError> errors;
  for (const TlsUse& use : config.tls) {
    const auto loaded = use.context->load();
    if (loaded) continue;
    auto [option, message] = loaded.error();
    const auto found = use.options.find(option);
    const Mark at = found == use.options.end() ? use.section : found->second;
    errors.push_back({file, at.line, at.column, option.append(": ").append(message)});
  }
  return errors;
}

}  // namespace

Result<std::string, std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return Unexpected{std::string(std::strerror(errno))};
  std::string text(kFileMax + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return Unexpected{std::string(std::strerror(errno))};
  return text;
}

Result<Config, std::vector<ConfigError>> load_config(const std::string& path) {
  const auto text = read_file(path);
  if (!text) {
    return Unexpected{std::vector{ConfigError{path, 1, 1, "cannot be read: " + text.error()}}};
  }
  auto config = parse_config(*text, path);
  if (!config) return config;
  if (auto errors = load_all_credentials(*config); !errors.empty()) {
    return Unexpected{std::move(errors)};
  }
  if (auto errors = load_all_tls(*config, path); !errors.empty()) {
    return Unexpected{std::move(errors)};
  }
  return config;
}

}  // namespace mcsteady::config
