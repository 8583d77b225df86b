#include <cstddef>
#include <cstdint>

#include "fuzz/binary_request_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::protocol::binary::fuzz::check_request_bytes(
      {reinterpret_cast<const char*>(data), size});
  return 0;
}
