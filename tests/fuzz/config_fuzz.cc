#include <cstddef>
#include <cstdint>

#include "fuzz/config_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::config::fuzz::check_config_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
