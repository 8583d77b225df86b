#include <cstddef>
#include <cstdint>

#include "fuzz/credentials_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::config::fuzz::check_credentials_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
