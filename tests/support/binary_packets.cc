#include "support/binary_packets.h"

namespace mcsteady::test {

namespace {

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(at, size)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

constexpr std::size_t kHeader = 24;

}  // namespace

std::uint64_t BinaryReply::number() const {
  return number_at(value, 0, value.size());
}

std::optional<std::vector<BinaryReply>> read_replies(std::string_view& input) {
  std::vector<BinaryReply> replies;
  while (!input.empty()) {
    if (input[0] != '\x81') return std::nullopt;
    if (input.size() < kHeader) break;
    const std::size_t key_size = number_at(input, 2, 2);
    const std::size_t extras_size = number_at(input, 4, 1);
    const std::size_t body_size = number_at(input, 8, 4);
    if (input[5] != '\0' || key_size + extras_size > body_size) return std::nullopt;
    if (input.size() < kHeader + body_size) break;
    const std::string_view body = input.substr(kHeader, body_size);
    replies.push_back({.opcode = static_cast<Opcode>(input[1]),
                       .status = static_cast<Status>(number_at(input, 6, 2)),
                       .extras = std::string(body.substr(0, extras_size)),
                       .key = std::string(body.substr(extras_size, key_size)),
                       .value = std::string(body.substr(extras_size + key_size)),
                       .opaque = static_cast<std::uint32_t>(number_at(input, 12, 4)),
                       .cas = number_at(input, 16, 8)});
    input.remove_prefix(kHeader + body_size);
  }
  return replies;
}

}  // namespace mcsteady::test
