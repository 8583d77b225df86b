#include "config/yaml_tree.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

#include "config/words.h"

namespace mcsteady::config {
namespace {

constexpr std::size_t kValuesMax = 100000;

Mark to_mark(const YAML::Mark& mark) {
  return mark.is_null() ? Mark{} : Mark{mark.line + 1, mark.column + 1};
}

/// YAML, but not what a configuration is made of. Passes through the parser that calls us.
struct Refused {
  Mark mark;
  std::string message;
};

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) {
  throw Refused{to_mark(mark), message};
}

/// Builds the tree from yaml-cpp's events. Throws Refused.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(YamlTree& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (tree_.root != nullptr) refuse(mark, "a second document begins here; a file has one");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    close(mark, open(YamlNode::Kind::Null, mark, "", anchor));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Building scalar = open(YamlNode::Kind::Scalar, mark, tag, anchor);
    scalar.node->text = value;
    close(mark, scalar);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open_.push_back(open(YamlNode::Kind::List, mark, tag, anchor));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open_.push_back(open(YamlNode::Kind::Map, mark, tag, anchor));
  }
  void OnSequenceEnd() override { close_last(); }
  void OnMapEnd() override { close_last(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) refuse(mark, "an alias within what it stands for");
    close(mark, target->second);
  }

 private:
  struct Building {
    YamlNode* node = nullptr;
    std::size_t values = 1;  // in it and itself, aliases followed
    YAML::anchor_t anchor = YAML::NullAnchor;
  };

  Building open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor) {
    // yaml-cpp calls a plain value "?" and one in quotes "!".
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(mark, quoted(tag) + " is a tag; plain values are enough");
    YamlNode& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.mark = to_mark(mark);
    return Building{&node, 1, anchor};
  }

  void close_last() {
    const Building done = open_.back();
    open_.pop_back();
    close({}, done);
  }

  /// Hands a finished node to the list or map around it. An anchor counts from here on.
  void close(const YAML::Mark& mark, const Building& done) {
    if (done.anchor != YAML::NullAnchor) anchors_[done.anchor] = done;
    if (open_.empty()) {
      tree_.root = done.node;
      return;
    }
    Building& around = open_.back();
    around.node->items.push_back(done.node);
    around.values += done.values;
    if (around.values > kValuesMax) {
      refuse(mark, "more than " + std::to_string(kValuesMax) + " values once aliases are followed");
    }
  }

  YamlTree& tree_;
  std::vector<Building> open_;
  std::map<YAML::anchor_t, Building> anchors_;
};

std::string_view line_of(std::string_view text, int number) {
  for (int i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// yaml-cpp stumbles over a tab in the indentation in many words, none of them "tab".
bool is_indented_by_tab(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

YamlError explain(const YAML::Exception& error, std::string_view text) {
  const Mark mark = to_mark(error.mark);
  const std::string_view line = line_of(text, mark.line);
  if (is_indented_by_tab(line)) {
    const int column = static_cast<int>(line.find('\t')) + 1;
    return {{mark.line, column}, "a tab in the indentation; YAML takes blanks only"};
  }
  return {mark, "not YAML: " + error.msg};
}

}  // namespace

Result<YamlTree, YamlError> read_yaml(std::string_view text) {
  YamlTree tree;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(tree);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return Unexpected{YamlError{refused.mark, refused.message}};
  } catch (const YAML::DeepRecursion& error) {
    return Unexpected{YamlError{to_mark(error.mark), "lists and maps are nested too deeply"}};
  } catch (const YAML::Exception& error) {
    return Unexpected{explain(error, text)};
  }
  return tree;
}

}  // namespace mcsteady::config
