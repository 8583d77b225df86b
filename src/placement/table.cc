#include "placement/table.h"

#include <algorithm>
#include <array>
#include <string>

#include "placement/xxh3.h"

namespace mcsteady::placement {
namespace {

// Primes, so that every stride visits every slot. A hundred slots a server keep shares within a
// hundredth of what they should be.
constexpr std::array<std::size_t, 3> kSizes = {65537, 262147, 1048583};
constexpr std::size_t kSlotsPerServer = 100;
constexpr std::uint32_t kFree = ~0u;

std::size_t size_for(std::size_t servers) {
  const auto found = std::ranges::find_if(
      kSizes, [&](std::size_t size) { return size >= servers * kSlotsPerServer; });
  return found == kSizes.end() ? kSizes.back() : *found;
}

/// A server's own order of the slots, and how often it may choose.
class Chooser {
 public:
  Chooser(const Node& node, Names names, double turns, std::size_t slots)
      : turns_(turns), slots_(slots) {
    const std::string name = name_of(node, names);
    slot_ = xxh3(name, 1) % slots;
    stride_ = xxh3(name, 2) % (slots - 1) + 1;
  }

  /// True while it has a whole turn left in this round.
  bool has_turn(std::size_t round) const {
    return static_cast<double>(taken_) < turns_ * static_cast<double>(round);
  }
  void choose(std::uint32_t position, std::vector<std::uint32_t>& table) {
    while (table[slot_] != kFree) advance();
    table[slot_] = position;
    advance();
    ++taken_;
  }

 private:
  void advance() {
    slot_ += stride_;
    if (slot_ >= slots_) slot_ -= slots_;
  }

  double turns_;  // a round; at most 1
  std::size_t taken_ = 0;
  std::size_t slots_;
  std::size_t slot_;
  std::size_t stride_;
};

}  // namespace

Table::Table(const PlacementOptions& options, const Members& members)
    : hash_(options.hash, options.seed), slots_(size_for(members.size()), kFree) {
  double heaviest = 0;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    heaviest = std::max(heaviest, members.weight(rank));
  }
  std::vector<Chooser> choosers;
  choosers.reserve(members.size());
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    choosers.emplace_back(members.node(rank), options.names, members.weight(rank) / heaviest,
                          slots_.size());
  }
  std::size_t taken = 0;
  for (std::size_t round = 1; taken < slots_.size(); ++round) {
    for (std::size_t rank = 0; rank < choosers.size() && taken < slots_.size(); ++rank) {
      if (!choosers[rank].has_turn(round)) continue;
      choosers[rank].choose(members.position(rank), slots_);
      ++taken;
    }
  }
}

std::optional<std::size_t> Table::next(std::string_view text, Live live) const {
  std::size_t slot = slot_of(hash_(text));
  for (std::size_t step = 0; step < slots_.size(); ++step) {
    if (is_live(live, slots_[slot])) return slots_[slot];
    if (++slot == slots_.size()) slot = 0;
  }
  return next_in_list(0, live);  // one whose weight gave it no slot
}

}  // namespace mcsteady::placement
