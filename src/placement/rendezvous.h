#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/looks.h"
#include "placement/members.h"

namespace mcsteady::placement {

/// A server whose score for the key is the highest of those looked at so far.
struct Best {
  double score;
  std::size_t position;
};

/// Every server has a score for every key, and the highest wins, so that only the keys of a server
/// that goes are moved. `Score` gives the score of a rank for a text and says who wins of equals.
/// O(servers) a key.
template <class Score>
class Rendezvous {
 public:
  Rendezvous(const PlacementOptions& options, const Members& members)
      : score_(options, members), positions_(members.positions()) {}

  std::size_t of(std::string_view text) const {
    return best(text, [](std::size_t) { return true; }).value_or(positions_.front());
  }
  /// The next best: where a key goes when its server leaves the list.
  std::optional<std::size_t> next(std::string_view text, Live live) const {
    const auto found = best(text, [&](std::size_t position) { return is_live(live, position); });
    return found ? found : next_in_list(positions_.front(), live);
  }

 private:
  template <class Allowed>
  std::optional<std::size_t> best(std::string_view text, Allowed allowed) const {
    std::optional<std::size_t> winner;
    double highest = Score::kFloor;
    const auto key = score_.key(text);
    for (std::size_t rank = 0; rank < positions_.size(); ++rank) {
      if (!allowed(positions_[rank])) continue;
      const double score = score_.of(key, rank);
      if (Score::kLastWins ? score >= highest : score > highest) {
        highest = score;
        winner = positions_[rank];
      }
    }
    return winner;
  }

  Score score_;
  std::vector<std::uint32_t> positions_;
};

/// mcrouter's Rendezvous. Sources: lib/RendezvousHashFunc.cpp, RendezvousHashHelper.h.
class McrouterScore {
 public:
  static constexpr double kFloor = 0;
  static constexpr bool kLastWins = true;
  McrouterScore(const PlacementOptions& options, const Members& members);
  std::uint64_t key(std::string_view text) const;
  double of(std::uint64_t key, std::size_t rank) const {
    return static_cast<double>(mixed(key, rank));
  }

 protected:
  std::uint64_t mixed(std::uint64_t key, std::size_t rank) const;

 private:
  std::vector<std::uint64_t> tags_;
};

/// Its WeightedRendezvous. Source: lib/WeightedRendezvousHashFunc.cpp.
class WeightedMcrouterScore : public McrouterScore {
 public:
  static constexpr bool kLastWins = false;
  WeightedMcrouterScore(const PlacementOptions& options, const Members& members);
  double of(std::uint64_t key, std::size_t rank) const;

 private:
  std::vector<double> weights_;
};

/// pymemcache's RendezvousHash: text is hashed by the low eight bits of each character. Sources:
/// pymemcache/client/rendezvous.py, murmur3.py.
class PymemcacheScore {
 public:
  static constexpr double kFloor = 0;
  static constexpr bool kLastWins = true;  // servers are ranked by name: of equals the larger
  PymemcacheScore(const PlacementOptions& options, const Members& members);
  std::string_view key(std::string_view text) const { return text; }
  double of(std::string_view key, std::size_t rank) const;

 private:
  bool bytes_;
  std::vector<std::string> stems_;  // "node-"
};

}  // namespace mcsteady::placement
