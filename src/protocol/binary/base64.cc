#include "protocol/binary/base64.h"

#include <cstdint>

namespace mcsteady::protocol::binary {
namespace {
constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}  // namespace

char* put_base64(std::string_view bytes, char* out) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t index) -> std::uint32_t {
      return at + index < bytes.size() ? static_cast<unsigned char>(bytes[at + index]) : 0U;
    };
    const std::uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    *out++ = kAlphabet[group >> 18U];
    *out++ = kAlphabet[group >> 12U & 63U];
    *out++ = at + 1 < bytes.size() ? kAlphabet[group >> 6U & 63U] : '=';
    *out++ = at + 2 < bytes.size() ? kAlphabet[group & 63U] : '=';
  }
  return out;
}

}  // namespace mcsteady::protocol::binary
