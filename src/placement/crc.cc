#include "placement/crc.h"

#include <array>
#include <cstddef>

#include "placement/bytes.h"

namespace mcsteady::placement {
namespace {

constexpr std::size_t kSlices = 8;
using Crc32Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// The first table moves a byte through the register; table n does so with n zero bytes after it,
/// so that eight bytes are looked up at once.
constexpr Crc32Tables make_crc32_tables() {
  Crc32Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr std::array<std::uint32_t, 256> make_crc16_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc & 0x8000) != 0 ? 0x1021u : 0u);
    table[byte] = crc & 0xffff;
  }
  return table;
}

constexpr Crc32Tables kCrc32 = make_crc32_tables();
constexpr std::array<std::uint32_t, 256> kCrc16 = make_crc16_table();

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  std::size_t at = 0;
  for (; at + kSlices <= bytes.size(); at += kSlices) {
    const std::uint64_t word = read_64(bytes, at) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < kSlices; ++i) crc ^= kCrc32[kSlices - 1 - i][word >> i * 8 & 0xff];
  }
  for (; at < bytes.size(); ++at) {
    crc = crc >> 8 ^ kCrc32[0][(crc ^ static_cast<unsigned char>(bytes[at])) & 0xff];
  }
  return ~crc;
}

std::uint32_t crc16(std::string_view bytes) {
  std::uint32_t crc = 0;
  for (const char byte : bytes) {
    crc = crc << 8 ^ kCrc16[(crc >> 8 ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return crc;
}

}  // namespace mcsteady::placement
