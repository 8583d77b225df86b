#pragma once

#include <cstdint>
#include <string_view>

namespace mcsteady::placement {

/// CRC-32 of zlib, which Dalli, mcrouter and gomemcache take whole.
std::uint32_t crc32(std::string_view bytes);

/// The upper half of CRC-32 without its first bit: what libmemcached and twemproxy call crc32, and
/// what python-memcached and spymemcached took over from them.
inline std::uint32_t crc32_upper(std::string_view bytes) {
  return crc32(bytes) >> 16 & 0x7fff;
}

/// twemproxy's crc16: XMODEM's table in a register of 32 bits that is never cut to 16, so that what
/// is shifted out stays in the hash. Source: twemproxy, hashkit/nc_crc16.c.
std::uint32_t crc16(std::string_view bytes);

}  // namespace mcsteady::placement
