#include "upstream/plain_reader.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace mcsteady::upstream {

namespace {
/// The size of the value that follows a line, or -1.
long value_size(const std::string& line) {
  if (line.starts_with("VALUE ")) {
    const std::size_t at = line.find(' ', line.find(' ', 6) + 1);
    return std::atol(line.c_str() + at);
  }
  return line.starts_with("VA ") ? std::atol(line.c_str() + 3) : -1;
}
}  // namespace

PlainReader::PlainReader(int socket) : file_(fdopen(socket, "r")) {}

PlainReader::~PlainReader() {
  std::fclose(file_);
}

Heard PlainReader::read_reply(protocol::ReplyShape shape, std::size_t value_max) {
  Heard heard;
  bool refused = false;
  const auto tell = [&](const std::string& what) {
    if (!refused) heard.push_back(what);
    refused |= what == "!";
  };
  while (true) {
    const std::string line = read_line();
    const long size = value_size(line);
    if (line.empty()) {
      tell("!");
      return heard;
    }
    if (size < 0) {
      tell(line);
      return heard;
    }
    const std::string body = read_bytes(static_cast<std::size_t>(size) + 2);
    if (!body.ends_with("\r\n") || body.size() != static_cast<std::size_t>(size) + 2) {
      tell("!");
      return heard;
    }
    tell(static_cast<std::size_t>(size) > value_max ? "!" : line + body);
    if (shape == protocol::ReplyShape::Meta) return heard;
  }
}

std::string PlainReader::read_line() {
  std::string line;
  for (int byte = std::fgetc(file_); byte != EOF; byte = std::fgetc(file_)) {
    line.push_back(static_cast<char>(byte));
    if (line.ends_with("\r\n")) return line;
  }
  return {};
}

std::string PlainReader::read_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(std::fread(bytes.data(), 1, count, file_));
  return bytes;
}

}  // namespace mcsteady::upstream
