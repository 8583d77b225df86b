#include "placement/jenkins.h"

#include <bit>

#include "placement/bytes.h"

namespace mcsteady::placement {
namespace {

constexpr std::uint32_t kStart = 13;
constexpr std::size_t kBlock = 12;

struct State {
  std::uint32_t a, b, c;

  void add(std::uint64_t first, std::uint32_t third) {
    a += static_cast<std::uint32_t>(first);
    b += static_cast<std::uint32_t>(first >> 32);
    c += third;
  }
  void mix() {
    step(a, c, b, 4);
    step(b, a, c, 6);
    step(c, b, a, 8);
    step(a, c, b, 16);
    step(b, a, c, 19);
    step(c, b, a, 4);
  }
  void finish() {
    end(c, b, 14);
    end(a, c, 11);
    end(b, a, 25);
    end(c, b, 16);
    end(a, c, 4);
    end(b, a, 14);
    end(c, b, 24);
  }

 private:
  static void step(std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int shift) {
    x -= y;
    x ^= std::rotl(y, shift);
    y += z;
  }
  static void end(std::uint32_t& x, std::uint32_t y, int shift) {
    x ^= y;
    x -= std::rotl(y, shift);
  }
};

}  // namespace

std::uint32_t jenkins(std::string_view bytes) {
  const std::uint32_t start = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()) + kStart;
  State state{start, start, start};
  std::string_view rest = bytes;
  for (; rest.size() > kBlock; rest.remove_prefix(kBlock)) {
    state.add(read_64(rest, 0), read_32(rest, 8));
    state.mix();
  }
  if (rest.empty()) return state.c;
  const std::string_view first = rest.substr(0, 8);
  state.add(read_rest(first, 0), static_cast<std::uint32_t>(read_rest(rest, first.size())));
  state.finish();
  return state.c;
}

}  // namespace mcsteady::placement
