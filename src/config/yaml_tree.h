#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "config/mark.h"
#include "mcsteady/base/result.h"

namespace mcsteady::config {

/// A value of a YAML document and where it stands.
struct YamlNode {
  enum class Kind { Null, Scalar, List, Map } kind = Kind::Null;
  Mark mark;
  std::string text;                    // Scalar: as written, without quotes
  std::vector<const YamlNode*> items;  // List: its items. Map: key, value, key, value, ...
};

/// One YAML document, every key of it kept, doubles included (YAML::Node would hide them). An alias
/// is the node that its anchor names, so a node may be met twice.
struct YamlTree {
  std::deque<YamlNode> nodes;
  const YamlNode* root = nullptr;  // unset: the file is empty
};

struct YamlError {
  Mark mark;
  std::string message;
};

/// The only caller of yaml-cpp, and where its exceptions end. Refuses what a config has no use for:
/// a second document, tags, and more than 100,000 values once aliases are followed, so that walking
/// the tree is never out of proportion to the file.
Result<YamlTree, YamlError> read_yaml(std::string_view text);

}  // namespace mcsteady::config
