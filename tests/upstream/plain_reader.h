#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mcsteady/protocol/reply.h"

namespace mcsteady::upstream {

/// What an owner hears of one request: its lines and items as they came, "!" where it failed.
using Heard = std::vector<std::string>;

/// The simplest reader of replies there is: one blocking socket, stdio, no timeout. What ours does
/// is measured against it.
class PlainReader {
 public:
  /// Takes the socket over.
  explicit PlainReader(int socket);
  ~PlainReader();
  PlainReader(const PlainReader&) = delete;
  PlainReader& operator=(const PlainReader&) = delete;

  /// Reads the reply of one request; what broke off ends in "!". A value over `value_max` is
  /// refused: "!", though the rest of the reply is read.
  Heard read_reply(protocol::ReplyShape shape, std::size_t value_max);

 private:
  /// Empty where the file ended first.
  std::string read_line();
  std::string read_bytes(std::size_t count);

  std::FILE* file_;
};

}  // namespace mcsteady::upstream
