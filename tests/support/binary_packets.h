#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/protocol/binary.h"

// The binary protocol as a client writes and reads it. Source: memcached doc/protocol-binary.txt.
namespace mcsteady::test {

using protocol::binary::Opcode;
using protocol::binary::Status;

inline std::string big_endian(std::uint64_t number, int size) {
  std::string out;
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) {
    out += static_cast<char>(number >> shift & 0xff);
  }
  return out;
}

struct BinaryRequest {
  Opcode opcode;
  std::string extras = {};
  std::string key = {};
  std::string value = {};
  std::uint32_t opaque = 0;
  std::uint64_t cas = 0;

  std::string head() const {
    return "\x80" + big_endian(static_cast<std::uint8_t>(opcode), 1) + big_endian(key.size(), 2) +
           big_endian(extras.size(), 1) + big_endian(0, 3) +
           big_endian(extras.size() + key.size() + value.size(), 4) + big_endian(opaque, 4) +
           big_endian(cas, 8) + extras + key;
  }
  std::string bytes() const { return head() + value; }
};

struct BinaryReply {
  Opcode opcode = Opcode::Noop;
  Status status = Status::Ok;
  std::string extras, key, value;
  std::uint32_t opaque = 0;
  std::uint64_t cas = 0;

  std::uint64_t number() const;  // of the value's bytes
};

/// Cuts replies off the front of `input` while whole ones are there; nothing where the bytes cannot
/// be replies.
std::optional<std::vector<BinaryReply>> read_replies(std::string_view& input);

inline std::string bytes_of(Opcode opcode, const std::string& key, std::uint32_t opaque = 0) {
  return BinaryRequest{.opcode = opcode, .key = key, .opaque = opaque}.bytes();
}
inline std::string bytes_of(Opcode opcode, std::uint32_t opaque = 0) {
  return BinaryRequest{.opcode = opcode, .opaque = opaque}.bytes();
}
inline BinaryRequest storing(Opcode opcode, const std::string& key, const std::string& value,
                             std::uint32_t flags = 0, std::uint32_t exptime = 0) {
  return {.opcode = opcode,
          .extras = big_endian(flags, 4) + big_endian(exptime, 4),
          .key = key,
          .value = value};
}
inline BinaryRequest counting(Opcode opcode, const std::string& key, std::uint64_t delta,
                              std::uint64_t initial = 0, std::uint32_t exptime = 0xffffffff) {
  return {.opcode = opcode,
          .extras = big_endian(delta, 8) + big_endian(initial, 8) + big_endian(exptime, 4),
          .key = key};
}
inline BinaryRequest touching(Opcode opcode, const std::string& key, std::uint32_t exptime) {
  return {.opcode = opcode, .extras = big_endian(exptime, 4), .key = key};
}

}  // namespace mcsteady::test
