#include "placement/vectors.h"

#include <fstream>
#include <map>
#include <sstream>

#include "support/source_dir.h"

namespace mcsteady::placement {
namespace {

std::ifstream open_data(const std::string& file) {
  return std::ifstream(test::source_dir() + "/tests/placement/data/" + file);
}

std::vector<Node> read_nodes(std::istream& words) {
  std::vector<Node> nodes;
  Node node;
  while (words >> node.host >> node.port >> node.weight) nodes.push_back(node);
  return nodes;
}

std::vector<std::size_t> read_positions(const std::string& text) {
  std::vector<std::size_t> positions;
  std::istringstream numbers(text);
  std::string number;
  while (text != "-" && std::getline(numbers, number, ',')) {
    positions.push_back(std::stoul(number));
  }
  return positions;
}

std::vector<std::size_t> read_indices(const std::string& digits) {
  std::vector<std::size_t> indices;
  for (const char digit : digits) indices.push_back(std::stoul(std::string(1, digit), nullptr, 36));
  return indices;
}

}  // namespace

std::vector<std::string> read_keys() {
  std::ifstream file = open_data("keys.txt");
  std::vector<std::string> keys;
  for (std::string key; std::getline(file, key);) keys.push_back(key);
  return keys;
}

std::vector<Vector> read_vectors(const std::string& file) {
  std::map<std::string, std::vector<Node>> lists;
  std::vector<Vector> vectors;
  std::ifstream data = open_data(file);
  for (std::string line; std::getline(data, line);) {
    std::istringstream words(line);
    std::string kind, list, down, digits;
    words >> kind >> list;
    if (kind == "servers") lists[list] = read_nodes(words);
    if (kind != "row") continue;
    words >> down >> digits;
    vectors.push_back({list, lists[list], read_positions(down), read_indices(digits)});
  }
  return vectors;
}

}  // namespace mcsteady::placement
