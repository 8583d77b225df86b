#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mcsteady/protocol/binary.h"
#include "protocol/binary/bytes.h"

namespace mcsteady::protocol::binary {

struct Header {
  std::uint8_t opcode;
  std::size_t key_size, extras_size, body_size;
  std::uint32_t opaque;
  std::uint64_t cas;

  std::size_t head_size() const { return kHeaderSize + extras_size + key_size; }
  bool is_sound() const { return extras_size + key_size <= body_size; }
  std::size_t value_size() const { return body_size - extras_size - key_size; }
};

/// `input` has kHeaderSize bytes at least.
inline Header read_header(std::string_view input) {
  return {.opcode = load<std::uint8_t>(input, 1),
          .key_size = load<std::uint16_t>(input, 2),
          .extras_size = load<std::uint8_t>(input, 4),
          .body_size = load<std::uint32_t>(input, 8),
          .opaque = load<std::uint32_t>(input, 12),
          .cas = load<std::uint64_t>(input, 16)};
}

}  // namespace mcsteady::protocol::binary
