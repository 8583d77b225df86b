#include <cstddef>
#include <cstdint>

#include "fuzz/sasl_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::protocol::binary::fuzz::check_sasl_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
