#include <cstddef>
#include <cstdint>

#include "fuzz/binary_translator_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::protocol::binary::fuzz::check_translator_bytes(
      {reinterpret_cast<const char*>(data), size});
  return 0;
}
