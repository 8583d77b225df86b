#pragma once

#include <cstddef>
#include <string_view>

namespace mcsteady::protocol::binary {

/// A server looks at the length of a key as it is written (proto_text.c, KEY_MAX_LENGTH).
inline constexpr std::size_t kServerKeyMax = 250;

/// Bytes that `size` bytes come to in base64 with its padding.
constexpr std::size_t base64_size(std::size_t size) {
  return (size + 2) / 3 * 4;
}

/// Writes `bytes` in base64 (RFC 4648, with padding), as memcached's flag b reads it. Returns the
/// end.
char* put_base64(std::string_view bytes, char* out);

}  // namespace mcsteady::protocol::binary
