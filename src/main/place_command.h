#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mcsteady {

/// `mcsteady place`: where keys go by a configuration, and why. Nothing is connected to.
struct PlaceCommand {
  enum class Format { Text, Index } format = Format::Text;
  std::string config_file;
  std::string keys_file;          // a key a line, raw bytes, LF; read after `keys`
  std::vector<std::string> keys;  // as given

  void describe(CLI::App& command);
  /// The exit status; complaints have gone to stderr.
  int run() const;
};

/// `mcsteady compare-placement`: how many keys a change of configuration would move.
struct ComparePlacementCommand {
  std::vector<std::string> config_files;  // two: what is, and what would be
  std::string keys_file;

  void describe(CLI::App& command);
  int run() const;
};

}  // namespace mcsteady
