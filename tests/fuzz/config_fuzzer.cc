// Any bytes are a configuration or a list of errors, each in its place; and what describe() writes
// of a configuration is that configuration.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "mcsteady/config/config.h"

namespace {

using mcsteady::config::describe;
using mcsteady::config::parse_config;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view yaml(reinterpret_cast<const char*>(data), size);
  const auto config = parse_config(yaml, "fuzz.yaml");
  if (!config) {
    require(!config.error().empty());
    int line = 1;
    for (const auto& error : config.error()) {
      require(error.line >= line && error.column >= 1 && !error.message.empty());
      line = error.line;
    }
    return 0;
  }
  const std::string description = describe(*config);
  const auto read_back = parse_config(description, "described.yaml");
  require(read_back.has_value());
  require(describe(*read_back) == description);
  return 0;
}
