#include "upstream/reader_cases.h"

#include <algorithm>
#include <string_view>

namespace mcsteady::upstream {

namespace {
using protocol::ReplyShape;

std::size_t draw_size(test::Rng& rng, Coverage& coverage) {
  const std::uint64_t kind = rng.below(100);
  if (kind < 3) {
    ++coverage["value up to 1.5 MB"];
    return rng.between(100'000, 1'500'000);
  }
  if (kind < 48) {
    ++coverage["value of up to 300 bytes"];
    return rng.below(300);
  }
  constexpr std::size_t kBorders[] = {8192, 16384, 65536};
  const std::size_t border = kBorders[rng.below(3)];
  ++coverage["value around " + std::to_string(border)];
  return border - 64 + rng.below(96);
}

std::string draw_value(std::size_t size, test::Rng& rng, Coverage& coverage) {
  using namespace std::string_view_literals;
  constexpr std::string_view kPieces[] = {
      "\r\n"sv,       "END\r\n"sv, "VALUE k 0 5\r\n"sv, "SERVER_ERROR no\r\n"sv,
      "STORED\r\n"sv, "\0\0\0"sv,  "\xff\xc0\x80"sv,    "\r"sv,
  };
  constexpr const char* kNames[] = {"protocol lines inside", "NUL bytes inside",
                                    "bad UTF-8 inside"};
  const std::uint64_t style = rng.below(3);
  std::string value;
  value.reserve(size + 16384);
  while (value.size() < size) {
    if (style == 0) {
      value += kPieces[rng.below(std::size(kPieces))];
      value += static_cast<char>('a' + rng.below(26));
    } else {
      value += rng.bytes(std::min<std::size_t>(size - value.size(), 997));
      if (style == 2) value.append(rng.below(9000), 'x');
    }
  }
  value.resize(size);
  if (value.find("END\r\n") != std::string::npos) ++coverage[kNames[0]];
  if (value.find('\0') != std::string::npos) ++coverage[kNames[1]];
  if (value.find('\xff') != std::string::npos) ++coverage[kNames[2]];
  return value;
}
}  // namespace

ReaderCase ReaderCase::draw(test::Rng& rng, Coverage& coverage) {
  ReaderCase drawn;
  const std::size_t requests = rng.between(1, 6);
  for (std::size_t i = 0; i < requests; ++i) drawn.add_request(rng, coverage);

  const std::uint64_t ending = rng.below(4);
  drawn.ending = ending < 2 ? Ending::Whole : ending == 2 ? Ending::Closed : Ending::Stalled;
  constexpr const char* kEndings[] = {"whole", "cut short, then end of file",
                                      "cut short, then silence"};
  ++coverage[kEndings[static_cast<std::size_t>(drawn.ending)]];
  const std::size_t all = drawn.bytes.size();
  drawn.sent = drawn.ending == Ending::Whole ? all : rng.below(all);
  drawn.value_max = rng.chance(0.1) ? 40'000 : 8'000'000;

  constexpr std::size_t kPieces[] = {1, 50, 3000, 9000, 70'000, 2'000'000};
  drawn.piece_max = std::max(kPieces[rng.below(std::size(kPieces))], all / 300);
  return drawn;
}

void ReaderCase::add_request(test::Rng& rng, Coverage& coverage) {
  const bool given_up = rng.chance(0.1);
  if (given_up) ++coverage["given up at some moment"];
  switch (rng.below(4)) {
    case 0:
      requests.push_back({"set k 0 0 1\r\n1\r\n", ReplyShape::Line, given_up});
      bytes += rng.chance(0.5) ? "STORED\r\n" : "SERVER_ERROR out of memory\r\n";
      return;
    case 1:
      requests.push_back({"mg k v\r\n", ReplyShape::Meta, given_up});
      if (rng.chance(0.2)) {
        bytes += "EN\r\n";
      } else {
        add_value("VA # c5\r\n", rng, coverage);
      }
      return;
    default:
      requests.push_back({"get key key key\r\n", ReplyShape::Items, given_up});
      for (std::size_t left = rng.below(4); left > 0; --left) {
        add_value("VALUE key 0 #\r\n", rng, coverage);
      }
      bytes += "END\r\n";
  }
}

void ReaderCase::add_value(const std::string& line, test::Rng& rng, Coverage& coverage) {
  const std::string value = draw_value(draw_size(rng, coverage), rng, coverage);
  const std::size_t begin = bytes.size();
  const std::size_t number = line.find('#');
  bytes += line.substr(0, number) + std::to_string(value.size()) + line.substr(number + 1);
  const std::size_t body_begin = bytes.size();
  bytes += value + "\r\n";
  values.push_back({begin, body_begin, bytes.size()});
}

}  // namespace mcsteady::upstream
