#include "placement/vectors.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "support/source_dir.h"

namespace mcsteady::placement {
namespace {

std::string path_of(const std::string& file) {
  return test::source_dir() + "/tests/placement/data/" + file;
}

struct ClosePipe {
  void operator()(FILE* pipe) const { pclose(pipe); }
};

std::istringstream unpacked(const std::string& file) {
  const std::string command = "xz -dc '" + path_of(file) + "'";
  const std::unique_ptr<FILE, ClosePipe> pipe(popen(command.c_str(), "r"));
  std::string text;
  std::array<char, 65536> some;
  while (pipe) {
    const std::size_t size = std::fread(some.data(), 1, some.size(), pipe.get());
    if (size == 0) break;
    text.append(some.data(), size);
  }
  return std::istringstream(std::move(text));
}

template <class Number>
std::vector<Number> numbers_in(const std::string& line, char between) {
  std::vector<Number> numbers;
  std::istringstream words(line);
  for (std::string word; line != "-" && std::getline(words, word, between);) {
    numbers.push_back(std::stoull(word));
  }
  return numbers;
}

std::optional<std::size_t> position_of(char digit) {
  if (digit == '-') return std::nullopt;
  return static_cast<std::size_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

}  // namespace

std::vector<std::string> read_keys() {
  std::ifstream file(path_of("keys.txt"), std::ios::binary);
  std::vector<std::string> keys;
  for (std::string key; std::getline(file, key);) keys.push_back(key);
  return keys;
}

std::vector<Vector> read_vectors() {
  std::istringstream text = unpacked("vectors.txt.xz");
  std::vector<Vector> vectors;
  for (std::string line; std::getline(text, line);) {
    Vector vector;
    std::istringstream fields(line);
    std::string down, digits;
    std::getline(fields, vector.dead_do, '\t');
    std::getline(fields, down, '\t');
    std::getline(fields, vector.servers, '\t');
    std::getline(fields, vector.placement);
    vector.down = numbers_in<std::size_t>(down, ',');
    std::getline(text, digits);
    vector.positions.reserve(digits.size());
    for (const char digit : digits) vector.positions.push_back(position_of(digit));
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

Hashes read_hashes() {
  std::istringstream text = unpacked("hashes.txt.xz");
  Hashes hashes;
  std::string line;
  std::getline(text, line);
  hashes.keys = numbers_in<std::size_t>(line, ' ');
  for (std::string name; std::getline(text, name) && std::getline(text, line);) {
    hashes.functions.push_back({name, numbers_in<std::uint64_t>(line, ' ')});
  }
  return hashes;
}

}  // namespace mcsteady::placement
