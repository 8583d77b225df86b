#pragma once

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "mcsteady/base/clock.h"

namespace mcsteady::test {

/// Random numbers that are the same on every machine and standard library, which std's
/// distributions are not. SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014): one word of state, and forks are independent.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : seed_(seed), state_(seed) {}

  std::uint64_t seed() const { return seed_; }
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 ... bound - 1.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    return next() % bound;
  }
  /// Both ends included.
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    assert(least <= most);
    return least + below(most - least + 1);
  }
  Duration between(Duration least, Duration most) {
    return least + Duration(static_cast<Duration::rep>(
                       below(static_cast<std::uint64_t>((most - least).count()) + 1)));
  }
  bool chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
  }
  std::string bytes(std::size_t count) {
    std::string out(count, '\0');
    for (char& byte : out) byte = static_cast<char>(next() & 0xff);
    return out;
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }
  /// A generator of its own: what one part draws does not shift what another part gets.
  Rng fork() { return Rng(next()); }

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

/// MCSTEADY_SEED replays a run; without it the seed is the test's own.
inline std::uint64_t seed_or(std::uint64_t own) {
  const char* given = std::getenv("MCSTEADY_SEED");  // NOLINT(concurrency-mt-unsafe)
  return given == nullptr ? own : std::strtoull(given, nullptr, 0);
}

/// For SCOPED_TRACE: how to see the same run again.
inline std::string replay_hint(std::uint64_t seed) {
  return "replay with MCSTEADY_SEED=" + std::to_string(seed);
}

}  // namespace mcsteady::test
