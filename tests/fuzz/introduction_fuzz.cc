#include <cstddef>
#include <cstdint>

#include "fuzz/introduction_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::protocol::fuzz::check_introduction_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
