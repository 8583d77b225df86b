#include <cstddef>
#include <cstdint>

#include "fuzz/cluster_config_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcsteady::discovery::fuzz::check_cluster_reply({reinterpret_cast<const char*>(data), size});
  return 0;
}
