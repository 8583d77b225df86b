// Holds ways to place keys against each other, for who starts fresh: how even the servers' shares
// are, how many keys move when a server goes or comes, how well weights are kept, and what a
// look-up and a rebuild cost. Prints the table that README.md shows.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "mcsteady/placement/placement.h"

namespace mcsteady {
namespace {

using placement::Hash;
using placement::Names;
using placement::Node;
using placement::Placement;
using placement::PlacementOptions;
using Kind = PlacementOptions::Kind;
using Ring = PlacementOptions::Ring;

constexpr std::size_t kKeys = 1'000'000;

struct Candidate {
  std::string_view name;
  PlacementOptions options;
  bool has_weights;
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> all(6);
  all[0] = {"ring, 160 MD5 points, fnv1a (twemproxy)", {}, true};
  all[0].options.ring = Ring::Weighted;
  all[0].options.hash = Hash::Fnv1a_64;
  all[1] = {"ring, 100 points, one_at_a_time (ketama)", {}, true};
  all[2] = {"ring, 1000 points, XXH3", {}, false};
  all[2].options.ring = Ring::Plain;
  all[2].options.points = 1000;
  all[2].options.hash = all[2].options.point_hash = Hash::Xxh3;
  all[3] = {"jump, XXH3", {.kind = Kind::Jump, .hash = Hash::Xxh3}, false};
  all[4] = {"rendezvous, weighted (mcrouter's)",
            {.kind = Kind::WeightedRendezvous, .names = Names::Address},
            true};
  all[5] = {"table, XXH3 (mcsteady)",
            {.kind = Kind::Table,
             .hash = Hash::Xxh3,
             .names = Names::Address,
             .order = PlacementOptions::Order::ByText},
            true};
  return all;
}

std::vector<Node> nodes(std::size_t count) {
  std::vector<Node> list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back({.host = "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1),
                    .port = 11211});
  }
  return list;
}

std::vector<std::string> make_keys() {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kKeys; ++i) {
    keys.push_back((i % 2 == 0 ? "session:" : "user/") + std::to_string(i * 7919));
  }
  return keys;
}

std::vector<std::size_t> places(const Placement& placement, const std::vector<std::string>& keys) {
  std::vector<std::size_t> all;
  all.reserve(keys.size());
  for (const std::string& key : keys) all.push_back(placement.place(key));
  return all;
}

/// The fullest server's keys, over what its weight gives it.
double fullest(const std::vector<std::size_t>& placed, const std::vector<Node>& list) {
  std::vector<double> keys(list.size());
  for (const std::size_t at : placed) ++keys[at];
  double total_weight = 0;
  for (const Node& node : list) total_weight += node.weight;
  double worst = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double due = static_cast<double>(placed.size()) * list[i].weight / total_weight;
    worst = std::max(worst, keys[i] / due);
  }
  return worst;
}

/// The share of keys that another server has once `gone` has left the list.
double moved(const PlacementOptions& options, const std::vector<Node>& list, std::size_t gone,
             const std::vector<std::string>& keys) {
  std::vector<Node> rest = list;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(gone));
  const auto before = places(*make_placement(options, list), keys);
  const auto after = places(*make_placement(options, rest), keys);
  std::size_t count = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t now = after[i] + (after[i] >= gone ? 1 : 0);
    if (now != before[i]) ++count;
  }
  return static_cast<double>(count) / static_cast<double>(keys.size());
}

/// Of processor time, so that others who use the machine do not count.
template <class Work>
double milliseconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
}

double lookup_ns(const Placement& placement, const std::vector<std::string>& keys) {
  std::size_t sum = 0;
  const std::size_t few = 4096;  // in the cache, as keys that have just been read are
  const double elapsed = milliseconds([&] {
    for (std::size_t i = 0; i < kKeys; ++i) sum += placement.place(keys[i % few]);
  });
  return sum == 0 ? 0 : elapsed * 1e6 / kKeys;
}

void print(const Candidate& candidate, const std::vector<std::string>& keys) {
  const auto ten = nodes(10), hundred = nodes(100), thousand = nodes(1000);
  const auto of_hundred = make_placement(candidate.options, hundred);
  auto heavy = ten;
  for (std::size_t i = 0; i < heavy.size(); ++i) {
    heavy[i].weight = i < 5 ? 1 : static_cast<std::uint32_t>(i);
  }
  const double rebuild =
      milliseconds([&] { static_cast<void>(make_placement(candidate.options, thousand)); });
  std::printf("| %s | %.3f | %.3f |", candidate.name.data(),
              fullest(places(*make_placement(candidate.options, ten), keys), ten),
              fullest(places(*of_hundred, keys), hundred));
  if (candidate.has_weights) {
    std::printf(" %.3f |", fullest(places(*make_placement(candidate.options, heavy), keys), heavy));
  } else {
    std::printf(" none |");
  }
  std::printf(
      " %.1f %% | %.1f %% | %.2f %% | %.0f ns | %.1f ms |\n",
      moved(candidate.options, ten, 3, keys) * 100, moved(candidate.options, ten, 9, keys) * 100,
      moved(candidate.options, hundred, 30, keys) * 100, lookup_ns(*of_hundred, keys), rebuild);
}

}  // namespace
}  // namespace mcsteady

int main() {
  using namespace mcsteady;
  const auto keys = make_keys();
  std::puts(
      "| placement | fullest of 10 | of 100 | of 10 with weights | moved, 4th of 10 goes | last of "
      "10 goes or comes | 31st of 100 goes | look-up, 100 | rebuild, 1000 |");
  std::puts("|---|---|---|---|---|---|---|---|---|");
  for (const Candidate& candidate : candidates()) print(candidate, keys);
}
